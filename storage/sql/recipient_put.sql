-- $1 tenant  $2 user  $3 email as written or null  $4 its canonical form or null  $5 name  $6 locale  $7 time_zone
-- Writing again after an erasure makes the person anew.
insert into arauto.recipient (tenant_id, user_id, email, email_digest, name, locale, time_zone)
values ($1, $2, $3, sha256(convert_to($4::text, 'UTF8')), $5, $6, $7)
    on conflict (tenant_id, user_id) do update
   set email = excluded.email, email_digest = excluded.email_digest, name = excluded.name, locale = excluded.locale,
       time_zone = excluded.time_zone, erased_at = null
