-- $1 tenant   $2 user
select dv.device_id, dv.provider, dv.app, arauto.rfc3339(dv.registered_at) as registered_at,
       arauto.rfc3339(dv.ended_at) as ended_at, dv.end_reason
  from arauto.device dv
 where dv.tenant_id = $1 and dv.user_id = $2
 order by dv.ended_at is not null, dv.device_id
 limit 200
