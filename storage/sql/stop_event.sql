-- Stops every delivery of one event.
-- $1 tenant  $2 event id  $3 stop_reason
-- Locks ALL of them in key order, whatever their state, then judges: a row that waits or is leased without a permit ends
-- here; a permitted one is in flight and is not retried; one in doubt is held and never sent again; a final one stays.
with held as materialized (
  select d.* from arauto.delivery d where d.tenant_id = $1 and d.event_id = $2::uuid
   order by d.event_id, d.channel
     for update
),
stopped as (
  update arauto.delivery d
     set stop_reason = coalesce(d.stop_reason, $3),
         state = case when h.doubts then 'in_doubt' when h.ends then h.final else d.state end,
         cause = case when h.ends then $3 else d.cause end,
         next_attempt_at = case when d.state = 'in_doubt' or h.doubts then 'infinity' else d.next_attempt_at end,
         lease_owner = case when h.ends or h.doubts then null else d.lease_owner end,
         lease_until = case when h.ends or h.doubts then null else d.lease_until end,
         settled_at = case when h.ends then clock_timestamp() else d.settled_at end
    from (select x.event_id, x.channel,
                 x.state in ('pending', 'retry_wait')
           or (x.state = 'leased' and x.begun_at is null and x.doubted_at is null) as ends,
         x.state = 'leased' and x.begun_at is null and x.doubted_at is not null as doubts,
                 case when $3 = 'opted_out' then 'suppressed' else 'cancelled' end as final
            from held x) h
   where d.event_id = h.event_id and d.channel = h.channel
)
select h.event_id, h.channel,
       case when h.state in ('pending', 'retry_wait') then 'stopped'
            when h.state = 'leased' and h.begun_at is not null then 'in_flight'
            when h.state = 'leased' and h.doubted_at is not null then 'in_doubt'
            when h.state = 'leased' then 'stopped'
            else h.state end as came_to
  from held h order by h.channel
