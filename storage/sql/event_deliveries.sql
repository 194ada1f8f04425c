-- $1 tenant  $2 event ids, an array
-- infinity (held) reads as no time. waits_for is said of those that are not final, in the words of arauto.waiting.
select d.event_id, d.channel, d.state, d.attempts, d.deferrals, d.doubtful,
       case when d.state in ('pending', 'retry_wait', 'in_doubt') and d.next_attempt_at <> 'infinity'
            then arauto.rfc3339(d.next_attempt_at) end as next_attempt_at,
       case when d.state in ('pending', 'leased', 'retry_wait', 'in_doubt')
            then arauto.waiting_for(d.state, d.next_attempt_at, d.begun_at, d.gives_up_at, d.stop_reason,
                                    now()) end as waits_for,
       case when d.stop_reason is null then arauto.rfc3339(d.gives_up_at) end as gives_up_at,
       d.resolved_as, d.provider_ref, d.cause, d.detail, arauto.rfc3339(d.settled_at) as settled_at
  from arauto.delivery d where d.tenant_id = $1 and d.event_id = any ($2::uuid[])
 order by d.event_id, d.channel
