-- Whoever else has a token in this tenant and app has it no more. Runs after device_meet.
-- $1 tenant   $2 user   $3 device   $4 provider   $5 app   $6 token
update arauto.device dv
   set ended_at = clock_timestamp(), end_reason = 'moved', token = '', keys = null
 where dv.tenant_id = $1 and dv.provider = $4 and dv.app = $5 and dv.token = $6 and dv.ended_at is null
   and not (dv.user_id = $2 and dv.device_id = $3)
