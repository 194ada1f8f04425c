-- Stops a person's live deliveries.
-- $1 tenant  $2 user  $3 stop_reason: 'opted_out' stops what the standing preference does not allow, 'erased' stops all
-- Runs in its own transaction after the change of mind committed: a permit with an older snapshot either holds the row
-- (and is listed in flight here) or finds it stopped. Locks in key order. Leans on delivery_live_of_user.
with held as materialized (
  select d.*, e.type from arauto.delivery d join arauto.event e on e.id = d.event_id
   where d.tenant_id = $1 and d.user_id = $2 and d.state in ('pending', 'leased', 'retry_wait', 'in_doubt')
   order by d.event_id, d.channel
     for update of d
),
unwanted as materialized (
  select h.event_id, h.channel, h.state, h.begun_at,
         h.state in ('pending', 'retry_wait')
           or (h.state = 'leased' and h.begun_at is null and h.doubted_at is null) as ends,
         h.state = 'leased' and h.begun_at is null and h.doubted_at is not null as doubts
    from held h cross join lateral arauto.consent(h.tenant_id, h.user_id, h.channel, h.type) as consent
   where $3 = 'erased' or not consent.allowed
),
stopped as (
  update arauto.delivery d
     set stop_reason = coalesce(d.stop_reason, $3),
         state = case when u.doubts then 'in_doubt' when u.ends then case when $3 = 'opted_out' then 'suppressed' else 'cancelled' end
                      else d.state end,
         cause = case when u.ends then $3 else d.cause end,
         next_attempt_at = case when d.state = 'in_doubt' or u.doubts then 'infinity' else d.next_attempt_at end,
         lease_owner = case when u.ends or u.doubts then null else d.lease_owner end,
         lease_until = case when u.ends or u.doubts then null else d.lease_until end,
         settled_at = case when u.ends then clock_timestamp() else d.settled_at end
    from unwanted u
   where d.event_id = u.event_id and d.channel = u.channel
)
select u.event_id, u.channel,
       case when u.ends then 'stopped' when u.doubts then 'in_doubt' when u.state = 'leased' then 'in_flight' else u.state end as came_to
  from unwanted u order by u.event_id, u.channel
