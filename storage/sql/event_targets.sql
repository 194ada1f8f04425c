-- $1 tenant  $2 event id
-- The devices of an event's push. One that was left over when the delivery ended stands as the delivery does; beside an
-- acceptance by other devices it was stopped, or its time had passed.
select t.device_id, t.provider, t.app, t.attempts, t.code, t.detail, t.provider_ref, s.state,
       case when s.state = t.state then t.cause else coalesce(d.stop_reason, d.cause, s.state) end as cause,
       case when d.settled_at is null and t.state in ('pending', 'retry_wait', 'in_doubt') and t.due_at <> 'infinity'
            then arauto.rfc3339(greatest(t.due_at, d.next_attempt_at)) end as next_attempt_at,
       case when s.state in ('provider_accepted', 'permanent_failure') then arauto.rfc3339(t.told_at)
            when s.state <> t.state then arauto.rfc3339(d.settled_at) end as settled_at
  from arauto.target t
  join arauto.delivery d on d.event_id = t.event_id and d.channel = t.channel and d.tenant_id = t.tenant_id
 cross join lateral (
    select case when d.settled_at is null or t.state in ('provider_accepted', 'permanent_failure') then t.state
                when d.state <> 'provider_accepted' then d.state
                when d.stop_reason = 'opted_out' then 'suppressed'
                when d.stop_reason is not null then 'cancelled'
                else 'expired' end as state) s
 where t.tenant_id = $1 and t.event_id = $2::uuid and t.channel = 'push'
 order by t.device_id
