-- $1 prefixes, text array
-- Live keys only; those of a stopped tenant are found, with its status.
select k.prefix, encode(k.digest, 'hex') as digest, k.tenant_id, t.status, array_to_string(k.scopes, ',') as scopes
  from arauto.api_key k left join arauto.tenant t on t.id = k.tenant_id
 where k.prefix = any ($1::text[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
