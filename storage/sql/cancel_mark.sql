-- $1 tenant  $2 event id
-- The event's own mark, for the reader; what stops attempts is stop_reason on the locked deliveries (stop_event).
update arauto.event set cancelled_at = coalesce(cancelled_at, now()) where tenant_id = $1 and id = $2::uuid returning id
