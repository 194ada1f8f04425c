-- $1 prefix
-- `ended`: now, and not before.
with held as materialized (
  select k.id, k.tenant_id, k.revoked_at from arauto.api_key k where k.prefix = $1 for update
),
ended as (
  update arauto.api_key k set revoked_at = now(), slot = null
    from held h where k.id = h.id and h.revoked_at is null
  returning k.id
)
select h.tenant_id, exists (select from ended) as ended from held h
