-- Takes over leases whose time is over, by the database's clock.
-- $1 lost_leases at which a delivery is given up   $2 ms until an in_doubt delivery is sent again, null: hold
-- $3 most rows at once
-- No attempt begun: back to due with lost_leases + 1, at the bound permanent_failure / worker_lost; stopped ones end.
-- Attempt begun and never settled: in_doubt, and the trail says unknown. A row that was in doubt before is held; one that
-- was only on its way to be sent again is in doubt as before.
-- Leans on delivery_leased (bounded by the windows of all nodes).
with lost as materialized (
  select d.* from arauto.delivery d
   where d.state = 'leased' and d.lease_until <= clock_timestamp()
   order by d.event_id, d.channel
   limit $3::integer
     for update skip locked
),
judged as materialized (
  select l.event_id, l.channel,
         case when l.accepted_at is not null then 'provider_accepted'
              when l.begun_at is not null or l.doubtful then 'in_doubt'
              when l.stop_reason = 'opted_out' then 'suppressed'
              when l.stop_reason is not null then 'cancelled'
              when l.lost_leases + 1 >= $1::integer then 'permanent_failure'
              else 'pending' end as becomes
    from lost l
),
trail as (
  insert into arauto.attempt (event_id, channel, lease_token, tenant_id, number, begun_at, ended_at, outcome)
  select l.event_id, l.channel, l.lease_token, l.tenant_id, l.attempts, l.begun_at, clock_timestamp(), 'unknown'
    from lost l where l.begun_at is not null
      on conflict do nothing
)
update arauto.delivery d
   set state = j.becomes,
       lost_leases = d.lost_leases + case when d.begun_at is null then 1 else 0 end,
       next_attempt_at = case when j.becomes <> 'in_doubt' then clock_timestamp()
                              when d.stop_reason is not null then 'infinity'
                              when d.begun_at is null and d.lost_leases + 1 < $1::integer then clock_timestamp()
                              when d.doubtful or $2::bigint is null then 'infinity'
                              else clock_timestamp() + $2::bigint * interval '1 millisecond' end,
       doubtful = d.doubtful or j.becomes = 'in_doubt',
       begun_at = null, lease_owner = null, lease_until = null,
       cause = case when j.becomes in ('suppressed', 'cancelled') then d.stop_reason
                    when j.becomes <> 'provider_accepted' then 'worker_lost' end,
       settled_at = case when j.becomes in ('provider_accepted', 'permanent_failure', 'suppressed', 'cancelled')
                         then clock_timestamp() end
  from judged j
 where d.event_id = j.event_id and d.channel = j.channel
returning d.tenant_id, d.event_id, d.channel, d.lease_token, d.state
