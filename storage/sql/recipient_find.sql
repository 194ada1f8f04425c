-- $1 tenant  $2 user
select r.user_id, r.email, r.name, r.locale, r.time_zone
  from arauto.recipient r where r.tenant_id = $1 and r.user_id = $2 and r.erased_at is null
