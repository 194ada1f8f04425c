-- $1 days   $2 most rows
-- Devices that ended that long ago. Leans on device_ended; waits for nobody.
with old as materialized (
  select dv.tenant_id, dv.user_id, dv.device_id from arauto.device dv
   where dv.ended_at < statement_timestamp() - $1::integer * interval '1 day'
   limit $2::integer
     for update skip locked
)
delete from arauto.device dv
 using old o
 where dv.tenant_id = o.tenant_id and dv.user_id = o.user_id and dv.device_id = o.device_id
