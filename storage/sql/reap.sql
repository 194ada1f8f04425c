-- Takes over leases whose time is over, by the database's clock.
-- $1 lost_leases at which a delivery is given up   $2 most attempts   $3 most rows at once
-- $4 doubt rule, $5 its time in ms, $6 most resends: of the channel, where the pinned template says nothing
-- No attempt begun: back to due with lost_leases + 1, at the bound permanent_failure / worker_lost; stopped ones end.
-- Attempt begun and never settled: in_doubt, and the trail says unknown; what follows is decided as in model/plan.hpp
-- (a test compares the two). One whose doubt stands and that was only on its way to be sent again is in doubt as before.
-- Of a push the devices that were addressed are in doubt with it; it goes on when the first of all its devices is due.
-- Leans on delivery_leased (bounded by the windows of all nodes).
with lost as materialized (
  select d.* from arauto.delivery d
   where d.state = 'leased' and d.lease_until <= clock_timestamp()
   order by d.event_id, d.channel
   limit $3::integer
     for update skip locked
),
judged as materialized (
  select l.event_id, l.channel, p.rule, p.after_ms, l.begun_at is not null as begun, l.stop_reason is null as goes_on,
         p.rule = 'resend' and l.doubts < p.resends_max and l.attempts - l.attempts_before < $2::integer as again,
         case when l.accepted_at is not null then 'provider_accepted'
              when l.begun_at is not null or l.doubted_at is not null then 'in_doubt'
              when l.stop_reason = 'opted_out' then 'suppressed'
              when l.stop_reason is not null then 'cancelled'
              when l.lost_leases + 1 >= $1::integer then 'permanent_failure'
              else 'pending' end as becomes
    from lost l
    left join lateral (
      select t.doubt_rule, t.doubt_after_ms, t.doubt_resends from arauto.template t
       where t.id = l.template_id and t.tenant_id = l.tenant_id and t.doubt_rule is not null limit 1) t on true
   cross join lateral (
      select coalesce(t.doubt_rule, $4::text) as rule, coalesce(t.doubt_after_ms, $5::bigint) as after_ms,
             coalesce(t.doubt_resends, $6::integer) as resends_max) p
),
doubted as (
  update arauto.target t
     set state = 'in_doubt', doubted_at = coalesce(t.doubted_at, clock_timestamp()), cause = 'worker_lost',
         told_at = clock_timestamp(),
         due_at = case when j.again and j.goes_on then clock_timestamp() + j.after_ms * interval '1 millisecond'
                       else 'infinity' end
    from judged j
   where j.begun and t.event_id = j.event_id and t.channel = j.channel and t.state = 'leased'
),
trail as (
  insert into arauto.attempt (event_id, channel, lease_token, tenant_id, number, begun_at, ended_at, outcome)
  select l.event_id, l.channel, l.lease_token, l.tenant_id, l.attempts, l.begun_at, clock_timestamp(), 'unknown'
    from lost l where l.begun_at is not null
      on conflict do nothing
)
update arauto.delivery d
   set state = j.becomes,
       lost_leases = d.lost_leases + case when j.begun then 0 else 1 end,
       next_attempt_at = case when j.becomes <> 'in_doubt' then clock_timestamp()
                              when d.stop_reason is not null then 'infinity'
                              when not j.begun and d.lost_leases + 1 < $1::integer then clock_timestamp()
                              when j.begun and j.again
                              then least(clock_timestamp() + j.after_ms * interval '1 millisecond', other.due_at)
                              else coalesce(other.due_at, 'infinity') end,
       gives_up_at = case when j.becomes = 'in_doubt' and j.begun and j.rule = 'wait' and d.stop_reason is null
                           and other.due_at is null
                          then clock_timestamp() + j.after_ms * interval '1 millisecond' end,
       doubts = d.doubts + case when j.becomes = 'in_doubt' and j.begun then 1 else 0 end,
       doubted_at = case when j.becomes = 'in_doubt' then coalesce(d.doubted_at, clock_timestamp())
                         else d.doubted_at end,
       begun_at = null, lease_owner = null, lease_until = null,
       cause = case when j.becomes in ('suppressed', 'cancelled') then d.stop_reason
                    when j.becomes <> 'provider_accepted' then 'worker_lost' end,
       settled_at = case when j.becomes in ('provider_accepted', 'permanent_failure', 'suppressed', 'cancelled')
                         then clock_timestamp() end
  from judged j
  cross join lateral (
    select min(t.due_at) as due_at from arauto.target t
     where t.event_id = j.event_id and t.channel = j.channel and t.state in ('pending', 'retry_wait')) other
 where d.event_id = j.event_id and d.channel = j.channel
returning d.tenant_id, d.event_id, d.channel, d.lease_token, d.state
