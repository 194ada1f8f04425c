-- $1 tenant  $2 type  $3 channel  $4 locale
update arauto.template t set ended_at = now()
 where t.tenant_id = $1 and t.type = $2 and t.channel = $3 and t.locale = $4 and t.ended_at is null
returning t.version
