-- $1 tenant or null (operators' keys)
select k.prefix, k.tenant_id, k.name, array_to_string(k.scopes, ',') as scopes,
       case when k.revoked_at is not null and k.revoked_at is distinct from k.expires_at then 'revoked'
            when k.expires_at <= now() then 'expired'
            else 'live' end as state,
       arauto.rfc3339(k.created_at) as created_at, arauto.rfc3339(k.expires_at) as expires_at,
       arauto.rfc3339(k.revoked_at) as revoked_at, arauto.rfc3339(k.last_used_at) as last_used_at
  from arauto.api_key k where k.tenant_id is not distinct from $1 order by k.id
