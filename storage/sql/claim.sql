-- Leases due deliveries of several tenants at once, each by its own room: no tenant's backlog slows another's.
-- $1 json array of {tenant_id, channel, room, urgent_room}   $2 owner (node)   $3 lease in ms
-- Leans on delivery_due, one branch per priority, each walked by next_attempt_at: future and finished rows are never
-- walked. statement_timestamp(), not clock_timestamp(): the index needs a value that stands still. Rows another worker
-- holds are skipped, not waited for.
with asked as materialized (
  select a.* from json_to_recordset($1::json) as a(tenant_id text, channel text, room integer, urgent_room integer)
),
urgent as materialized (
  select a.tenant_id, a.channel, d.event_id
    from asked a
    cross join lateral (
      select d.event_id from arauto.delivery d
       where d.tenant_id = a.tenant_id and d.channel = a.channel and d.priority = 0
         and d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2 and d.stop_reason is null
         and d.next_attempt_at <= statement_timestamp()
       order by d.next_attempt_at limit a.urgent_room for update of d skip locked) d
),
normal as materialized (
  select a.tenant_id, a.channel, d.event_id
    from asked a
    cross join lateral (
      select d.event_id from arauto.delivery d
       where d.tenant_id = a.tenant_id and d.channel = a.channel and d.priority = 1
         and d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2 and d.stop_reason is null
         and d.next_attempt_at <= statement_timestamp()
       order by d.next_attempt_at
       limit greatest(0, a.room - (select count(*) from urgent u
                                    where u.tenant_id = a.tenant_id and u.channel = a.channel))
         for update of d skip locked) d
)
update arauto.delivery d
   set state = 'leased', lease_token = d.lease_token + 1, lease_owner = $2::uuid, begun_at = null,
       lease_until = clock_timestamp() + $3::integer * interval '1 millisecond'
  from (select event_id, channel from urgent union all select event_id, channel from normal) due
 where d.event_id = due.event_id and d.channel = due.channel
returning d.tenant_id, d.event_id, d.channel, d.lease_token, d.priority, d.lost_leases,
          case when d.channel = 'push' then arauto.outlets_due(d.event_id, d.channel, d.tenant_id, d.user_id,
                                                               d.attempts = d.attempts_before) end as outlets
