-- $1 tenant   $2 user   $3 device
-- One that ended before stays as it is.
update arauto.device dv
   set ended_at = coalesce(dv.ended_at, clock_timestamp()), end_reason = coalesce(dv.end_reason, 'removed'), token = '',
       keys = null
 where dv.tenant_id = $1 and dv.user_id = $2 and dv.device_id = $3
returning dv.device_id
