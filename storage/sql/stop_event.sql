-- Stops every delivery of one event.
-- $1 tenant  $2 event id  $3 stop_reason
-- Locks ALL of them in key order, whatever their state, then judges (arauto.stop_makes).
with held as materialized (
  select d.* from arauto.delivery d where d.tenant_id = $1 and d.event_id = $2::uuid
   order by d.event_id, d.channel
     for update
),
judged as materialized (
  select h.event_id, h.channel, s.becomes, s.ends, s.came_to
    from held h
    cross join lateral arauto.stop_makes(h.state, h.begun_at, h.accepted_at, h.doubted_at, $3) s
),
stopped as (
  update arauto.delivery d
     set stop_reason = coalesce(d.stop_reason, $3),
         state = made.becomes,
         cause = case when made.came_to = 'stopped' then $3 when not made.ends then d.cause end,
         next_attempt_at = case when made.becomes = 'in_doubt' then 'infinity' else d.next_attempt_at end,
         gives_up_at = case when not made.ends then d.gives_up_at end,
         lease_owner = case when made.becomes = 'leased' then d.lease_owner end,
         lease_until = case when made.becomes = 'leased' then d.lease_until end,
         settled_at = case when made.ends then clock_timestamp() else d.settled_at end
    from judged made
   where d.event_id = made.event_id and d.channel = made.channel
)
select made.event_id, made.channel, made.came_to from judged made order by made.channel
