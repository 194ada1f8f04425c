-- A page of a tenant's dead letters, newest first.
-- $1 tenant   $2 cause   $3 type   $4 channel   $5 settled at or after (each null: any)
-- $6 $7 $8 settled_at, event id and channel of the last row of the page before; null: the first page   $9 most rows
-- Leans on delivery_dead, walked backwards from the cursor; what the filter does not want is passed over.
select d.event_id, d.channel, d.type, d.user_id, d.client_operation_id, d.cause, d.detail, d.attempts, d.replays,
       d.doubtful, arauto.rfc3339(d.doubted_at) as doubted_at, d.stop_reason, d.erased,
       arauto.rfc3339(d.created_at) as created_at, arauto.rfc3339(d.settled_at) as settled_at
  from arauto.dead_delivery d
 where d.tenant_id = $1
   and d.settled_at >= coalesce($5::timestamptz, '-infinity')
   and d.settled_at <= coalesce($6::timestamptz, 'infinity')
   and ($6::timestamptz is null or (d.settled_at, d.event_id, d.channel) < ($6::timestamptz, $7::uuid, $8::text))
   and ($2::text is null or d.cause = $2)
   and ($3::text is null or d.type = $3)
   and ($4::text is null or d.channel = $4)
 order by d.settled_at desc, d.event_id desc, d.channel desc
 limit $9::integer
