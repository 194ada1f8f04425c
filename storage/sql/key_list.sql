-- $1 tenant
select k.prefix, arauto.rfc3339(k.created_at) as created_at, arauto.rfc3339(k.revoked_at) as revoked_at
  from arauto.api_key k where k.tenant_id is not distinct from $1 order by k.id
