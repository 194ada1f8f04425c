-- $1 tenant  $2 user
-- Serialises the writers of one person's preferences; accepts (KEY SHARE) pass.
select r.user_id from arauto.recipient r
 where r.tenant_id = $1 and r.user_id = $2 and r.erased_at is null for no key update
