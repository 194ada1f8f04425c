-- Stops a person's live deliveries.
-- $1 tenant  $2 user  $3 stop_reason: 'opted_out' stops what the standing preference does not allow, 'erased' stops all
-- Runs in its own transaction after the change of mind committed: a permit with an older snapshot either holds the row
-- (and is listed in flight here) or finds it stopped. Locks in key order, then judges (arauto.stop_makes). Leans on
-- delivery_live_of_user.
with held as materialized (
  select d.*, e.type from arauto.delivery d join arauto.event e on e.id = d.event_id and e.tenant_id = d.tenant_id
   where d.tenant_id = $1 and d.user_id = $2 and d.state in ('pending', 'leased', 'retry_wait', 'in_doubt')
   order by d.event_id, d.channel
     for update of d
),
unwanted as materialized (
  select h.event_id, h.channel, s.becomes, s.ends, s.came_to
    from held h
    cross join lateral arauto.consent(h.tenant_id, h.user_id, h.channel, h.type) as consent
    cross join lateral arauto.stop_makes(h.state, h.begun_at, h.accepted_at, h.doubted_at, $3) s
   where $3 = 'erased' or not consent.allowed
),
stopped as (
  update arauto.delivery d
     set stop_reason = coalesce(d.stop_reason, $3),
         state = u.becomes,
         cause = case when u.came_to = 'stopped' then $3 when not u.ends then d.cause end,
         next_attempt_at = case when u.becomes = 'in_doubt' then 'infinity' else d.next_attempt_at end,
         gives_up_at = case when not u.ends then d.gives_up_at end,
         lease_owner = case when u.becomes = 'leased' then d.lease_owner end,
         lease_until = case when u.becomes = 'leased' then d.lease_until end,
         settled_at = case when u.ends then clock_timestamp() else d.settled_at end
    from unwanted u
   where d.event_id = u.event_id and d.channel = u.channel
)
select u.event_id, u.channel, u.came_to from unwanted u order by u.event_id, u.channel
