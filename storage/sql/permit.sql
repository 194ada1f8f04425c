-- Decides whether an attempt may begin, counts it, renews the lease, and returns the facts to send with.
-- $1 json array of {n, tenant_id, event_id, channel, lease_token}   $2 lease in ms
-- No row for an n: the token is no longer ours, or its time is over; nothing was changed. Otherwise `state` says what
-- the delivery is now: 'leased' with facts (go ahead), or a state that forbids the attempt.
-- A delivery whose doubt stands is not ended by a prohibition: the provider may have it, so it is held in doubt.
-- Rows are locked in key order before anything is judged. Only columns of the locked row and the preference decide (the
-- event's own columns never change): whoever stops deliveries locks the same rows, so either this permit is seen by the
-- stop, or the stop by this permit. Asking twice under one token counts once.
-- `is not distinct from 'leased'`: a plain `=` would let the planner walk all that is leased by its partial index.
with asked as materialized (
  select a.* from json_to_recordset($1::json) as a(
    n integer, tenant_id text, event_id uuid, channel text, lease_token bigint)
   order by a.event_id, a.channel
),
held as materialized (
  select a.n, d.* from asked a
    cross join lateral (
      select d.* from arauto.delivery d
       where d.event_id = a.event_id and d.channel = a.channel and d.tenant_id = a.tenant_id
         and d.lease_token = a.lease_token
         and d.state is not distinct from 'leased' and d.lease_until > clock_timestamp()
       limit 1 for update of d) d
),
judged as materialized (
  select h.n, h.event_id, h.channel, e.variables, e.expires_at, r.email, r.email_digest, r.name, t.parts,
         t.doubt_rule, t.doubt_after_ms, t.doubt_resends, tn.sender_address, tn.sender_name,
         case when h.doubted_at is not null and v.verdict not in ('leased', 'provider_accepted') then 'in_doubt'
              else v.verdict end as state,
         case when h.stop_reason is not null then h.stop_reason
              when not consent.allowed then 'opted_out'
              when h.channel = 'email' and r.email is null then 'no_address'
              when s.digest is not null then 'address_suppressed' end as cause
    from held h
    cross join lateral (
      select e.type, e.variables, e.expires_at from arauto.event e
       where e.id = h.event_id and e.tenant_id = h.tenant_id limit 1) e
    cross join lateral (
      select r.email, r.email_digest, r.name from arauto.recipient r
       where r.tenant_id = h.tenant_id and r.user_id = h.user_id limit 1) r
    cross join lateral (
      select t.parts, t.doubt_rule, t.doubt_after_ms, t.doubt_resends
        from arauto.template t where t.id = h.template_id and t.tenant_id = h.tenant_id limit 1) t
    cross join lateral (
      select tn.sender_address, tn.sender_name from arauto.tenant tn where tn.id = h.tenant_id limit 1) tn
    cross join lateral arauto.consent(h.tenant_id, h.user_id, h.channel, e.type) as consent
    left join lateral (
      select s.digest from arauto.suppression s
       where s.tenant_id = h.tenant_id and s.channel = h.channel and s.digest = r.email_digest limit 1) s on true
    cross join lateral (
      select case when h.accepted_at is not null then 'provider_accepted'
                    when h.begun_at is not null then 'leased'
                    when h.stop_reason = 'opted_out' then 'suppressed'
                    when h.stop_reason is not null then 'cancelled'
                    when e.expires_at <= clock_timestamp() -- some device may have it
                    then case when h.channel = 'push' and arauto.push_accepted_at(h.event_id) is not null
                              then 'provider_accepted' else 'expired' end
                    when not consent.allowed then 'suppressed'
                    when h.channel = 'email' and r.email is null then 'permanent_failure'
                    when s.digest is not null then 'suppressed'
                    else 'leased' end as verdict) v
),
moved as (
  update arauto.delivery d
     set state = j.state,
         attempts = d.attempts + case when j.state = 'leased' and d.begun_at is null then 1 else 0 end,
         begun_at = case when j.state = 'leased' then coalesce(d.begun_at, clock_timestamp()) end,
         lease_owner = case when j.state = 'leased' then d.lease_owner end,
         lease_until = case when j.state = 'leased'
                            then clock_timestamp() + $2::integer * interval '1 millisecond' end,
         next_attempt_at = case when j.state = 'in_doubt' then 'infinity' else d.next_attempt_at end,
         settled_at = case when j.state not in ('leased', 'in_doubt') then clock_timestamp() end,
         accepted_at = case when j.state = 'provider_accepted'
                            then coalesce(d.accepted_at, arauto.push_accepted_at(d.event_id)) else d.accepted_at end,
         cause = coalesce(case when j.state <> 'leased' then j.cause end, d.cause)
    from judged j
   where d.event_id = j.event_id and d.channel = j.channel
  returning j.n, j.state, d.attempts - d.attempts_before as attempts, d.deferrals, d.doubts, j.email, j.name,
            encode(j.email_digest, 'hex') as email_digest, j.variables, j.parts, j.doubt_rule,
            j.doubt_after_ms, j.doubt_resends, j.sender_address, j.sender_name, d.priority,
            greatest(0, ceil(extract(epoch from j.expires_at - clock_timestamp()) * 1000))::bigint as expires_in_ms
)
select * from moved
