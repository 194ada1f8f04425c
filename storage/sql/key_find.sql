-- $1 prefix
select k.prefix, encode(k.digest, 'hex') as digest, k.tenant_id, t.status
  from arauto.api_key k left join arauto.tenant t on t.id = k.tenant_id
 where k.prefix = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
