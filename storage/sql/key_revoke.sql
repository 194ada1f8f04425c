-- $1 prefix
update arauto.api_key set revoked_at = coalesce(revoked_at, now()) where prefix = $1 returning prefix
