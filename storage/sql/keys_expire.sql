-- Keys of a tenant that are past their end give their slots back.
-- $1 tenant
update arauto.api_key k set revoked_at = k.expires_at, slot = null
 where k.tenant_id = $1 and k.slot is not null and k.expires_at <= now()
