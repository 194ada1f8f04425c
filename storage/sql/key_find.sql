-- $1 prefixes, text array
-- Live keys only; those of a stopped tenant are found, with its status. And what is narrower for that tenant.
select k.prefix, encode(k.digest, 'hex') as digest, k.tenant_id, t.status, array_to_string(k.scopes, ',') as scopes,
       l.body_bytes_max, l.variables_bytes_max
  from arauto.api_key k
  left join arauto.tenant t on t.id = k.tenant_id
  left join arauto.tenant_limit l on l.tenant_id = k.tenant_id
 where k.prefix = any ($1::text[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
