-- $1 tenant  $2 user
-- FOR UPDATE waits for accepts that hold the person (KEY SHARE): what they committed is swept next, and none comes later.
with person as materialized (
  select r.user_id from arauto.recipient r
   where r.tenant_id = $1 and r.user_id = $2 and r.erased_at is null for update
)
update arauto.recipient r
   set erased_at = now(), email = null, email_digest = null, name = null, locale = null, time_zone = null
  from person p where r.tenant_id = $1 and r.user_id = p.user_id
returning r.user_id
