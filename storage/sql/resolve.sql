-- A person says what became of a delivery in doubt.
-- $1 tenant   $2 event id   $3 channel   $4 'accepted' or 'not_accepted'   $5 most attempts
-- No row: there is no such delivery. `resolved`: the word was taken, now (`changed`) or when the same was said before;
-- otherwise the delivery is not in doubt and nothing was changed. And the state as it stands now.
-- Of a push it is said of the devices in doubt; others that have something to do yet go on.
-- Not accepted: tried again at once, unless a stop is on it or no attempt is left; then it ends as permanent_failure.
with held as materialized (
  select d.* from arauto.delivery d
   where d.tenant_id = $1 and d.event_id = $2::uuid and d.channel = $3
     for update
),
judged as materialized (
  select h.event_id, h.channel,
         case when $4 = 'accepted' and h.stop_reason is null and h.attempts - h.attempts_before < $5::integer
               and exists (select from arauto.target t
                            where t.event_id = h.event_id and t.channel = h.channel and t.state in ('pending', 'retry_wait'))
              then 'retry_wait'
              when $4 = 'accepted' then 'provider_accepted'
              when h.stop_reason is not null or h.attempts - h.attempts_before >= $5::integer then 'permanent_failure'
              else 'retry_wait' end as becomes
    from held h where h.state = 'in_doubt'
),
resolved as (
  update arauto.target t
     set state = case when $4 = 'accepted' then 'provider_accepted'
                      when j.becomes = 'retry_wait' then 'retry_wait' else 'permanent_failure' end,
         due_at = case when $4 <> 'accepted' and j.becomes = 'retry_wait' then clock_timestamp() else 'infinity' end,
         cause = case when $4 = 'accepted' then null else 'not_accepted' end, told_at = clock_timestamp()
    from judged j
   where t.event_id = j.event_id and t.channel = j.channel and t.state = 'in_doubt'
),
moved as (
  update arauto.delivery d
     set state = j.becomes, resolved_as = $4, doubted_at = null, gives_up_at = null, detail = null,
         next_attempt_at = clock_timestamp(),
         cause = case j.becomes when 'retry_wait' then case $4 when 'accepted' then 'other_devices' else 'not_accepted' end
                                when 'permanent_failure' then coalesce(d.stop_reason, 'attempts_exhausted') end,
         accepted_at = case when j.becomes = 'provider_accepted' then coalesce(d.accepted_at, clock_timestamp())
                            else d.accepted_at end,
         settled_at = case when j.becomes <> 'retry_wait' then clock_timestamp() end
    from judged j
   where d.event_id = j.event_id and d.channel = j.channel
  returning d.event_id, d.channel, d.state, d.lease_token
)
select m.event_id is not null or coalesce(h.resolved_as = $4 and h.state <> 'in_doubt', false) as resolved,
       coalesce(m.state, h.state) as state, h.lease_token, m.event_id is not null as changed
  from held h left join moved m on true
