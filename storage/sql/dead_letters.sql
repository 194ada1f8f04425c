-- A page of a tenant's dead letters, newest first.
-- $1 tenant   $2 cause   $3 type   $4 channel   $5 settled at or after (each null: any)
-- $6 $7 $8 settled_at, event id and channel of the place it goes on from; null: the first page   $9 most rows
-- $10 most dead letters looked at
-- `walked` is true for the one at which the walk ended because of $10; it comes even if it is not wanted (`fits` false).
-- Leans on delivery_dead, walked backwards from the place no further than needed.
select w.event_id, w.channel, w.type, w.user_id, w.client_key as client_operation_id, w.cause, w.detail, w.attempts,
       w.replays, w.doubtful, arauto.rfc3339(w.doubted_at) as doubted_at, w.stop_reason, w.erased_at is not null as erased,
       arauto.rfc3339(w.created_at) as created_at, arauto.rfc3339(w.settled_at) as settled_at,
       w.fits, w.step = $10::integer as walked
  from (
    select d.*, e.type, e.client_key, e.erased_at, e.created_at,
           row_number() over (order by d.settled_at desc, d.event_id desc, d.channel desc) as step,
           ($2::text is null or d.cause = $2) and ($3::text is null or e.type = $3)
           and ($4::text is null or d.channel = $4) as fits
      from (
        select d.* from arauto.delivery d
         where d.tenant_id = $1 and d.state = 'permanent_failure'
           and d.settled_at >= coalesce($5::timestamptz, '-infinity')
           and d.settled_at <= coalesce($6::timestamptz, 'infinity')
           and ($6::timestamptz is null
                or (d.settled_at, d.event_id, d.channel) < ($6::timestamptz, $7::uuid, $8::text))
         order by d.settled_at desc, d.event_id desc, d.channel desc
         limit $10::integer) d
     cross join lateral (
       select e.type, e.client_key, e.erased_at, e.created_at from arauto.event e
        where e.id = d.event_id and e.tenant_id is not distinct from $1 limit 1) e) w
 where w.fits or w.step = $10::integer
 order by w.settled_at desc, w.event_id desc, w.channel desc
 limit $9::integer
