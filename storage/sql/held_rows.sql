-- Which deliveries somebody else has locked at this moment; those that are free are locked until the transaction ends.
-- $1 json array of {n, tenant_id, event_id, channel}, other members are not looked at
-- Gives the n of each that stands and could not be locked. Waits for nobody.
with asked as materialized (
  select a.* from json_to_recordset($1::json) as a(n integer, tenant_id text, event_id uuid, channel text)
   order by a.event_id, a.channel
),
free as materialized (
  select a.n from asked a
    cross join lateral (
      select d.event_id from arauto.delivery d
       where d.event_id = a.event_id and d.channel = a.channel and d.tenant_id = a.tenant_id
       limit 1 for update of d skip locked) d
)
select a.n from asked a
 where a.n not in (select f.n from free f)
   and exists (select from arauto.delivery d
                where d.event_id = a.event_id and d.channel = a.channel and d.tenant_id = a.tenant_id)
