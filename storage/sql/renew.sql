-- Extends leases that are still ours, by explicit list: rows leased by a claim whose answer was lost must run out.
-- $1 json array of {tenant_id, event_id, channel, lease_token}   $2 lease in ms
-- Gives the keys that were renewed; who is missing has lost its lease. `is not distinct from`: as in permit.sql.
with asked as materialized (
  select a.* from json_to_recordset($1::json) as a(
    tenant_id text, event_id uuid, channel text, lease_token bigint)
   order by a.event_id, a.channel
),
held as materialized (
  select d.event_id, d.channel from asked a
    cross join lateral (
      select d.event_id, d.channel from arauto.delivery d
       where d.event_id = a.event_id and d.channel = a.channel and d.tenant_id = a.tenant_id
         and d.lease_token = a.lease_token
         and d.state is not distinct from 'leased' and d.lease_until > clock_timestamp()
       limit 1 for update of d) d
)
update arauto.delivery d
   set lease_until = clock_timestamp() + $2::integer * interval '1 millisecond'
  from held h
 where d.event_id = h.event_id and d.channel = h.channel
returning d.event_id, d.channel
