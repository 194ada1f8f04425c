-- $1 tenant   $2 provider   $3 app   $4 token
-- One registration of a token at a time, until COMMIT: two people may register it at once.
select pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), 'arauto.device', $1::text, $2::text, $3::text, $4::text), 0))
