-- $1 id   $2 sealed   $3 the key's name
-- The same contents: no new version, and no courier begins anew.
update arauto.account a set sealed = $2, key_name = $3 where a.id = $1::uuid
