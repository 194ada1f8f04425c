-- Leases one delivery that already took workers down (lost_leases >= 2), so that it runs with no neighbour.
-- $1 owner (node)   $2 lease in ms   $3 channels served here, text array
-- Leans on delivery_suspect.
with suspect as materialized (
  select d.event_id, d.channel from arauto.delivery d
   where d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases >= 2 and d.stop_reason is null
     and d.channel = any ($3::text[]) and d.next_attempt_at <= statement_timestamp()
   order by d.next_attempt_at limit 1 for update skip locked
)
update arauto.delivery d
   set state = 'leased', lease_token = d.lease_token + 1, lease_owner = $1::uuid, begun_at = null,
       lease_until = clock_timestamp() + $2::integer * interval '1 millisecond'
  from suspect s
 where d.event_id = s.event_id and d.channel = s.channel
returning d.tenant_id, d.event_id, d.channel, d.lease_token, d.priority, d.lost_leases,
          case when d.channel = 'push' then arauto.outlets_due(d.event_id, d.channel, d.tenant_id, d.user_id,
                                                               d.attempts = d.attempts_before) end as outlets
