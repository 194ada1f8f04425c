-- A page of a tenant's notifications, newest first, from a place on towards the past.
-- $1 tenant   $2 user   $3 type   $4 state   $5 channel   $6 accepted at or after (each null: any)
-- $7 the place: an event id, not in the page itself; null: now   $8 most rows   $9 most events looked at
-- A delivery must have the state and the channel at once. `walked` is true for the event at which the walk ended because
-- of $9; it comes even if it is not wanted (`fits` false), so that the next page goes on from it.
-- Leans on event_of_tenant, entered at the place and walked no further than needed: the inner limit bounds it, the outer
-- one ends it. The nulls are named because only this index has that order, so that no plan walks everybody's events by
-- the primary key; the pair, because two bounds of the id would make that way look short.
-- Ids are the clock of who took the event in, created_at is the database's: an hour lies between them at most.
select w.id, w.user_id, w.type, w.client_key, w.priority, arauto.rfc3339(w.created_at) as created_at,
       arauto.rfc3339(w.send_at) as send_at, arauto.rfc3339(w.expires_at) as expires_at,
       arauto.rfc3339(w.cancelled_at) as cancelled_at, w.fits, w.step = $9::integer as walked
  from (
    select s.*, row_number() over (order by s.id desc nulls last) as step,
           ($2::text is null or s.user_id = $2) and ($3::text is null or s.type = $3)
           and ($6::timestamptz is null or s.created_at >= $6)
           and (($4::text is null and $5::text is null)
                or exists (select from arauto.delivery d
                            where d.event_id = s.id and d.tenant_id is not distinct from $1
                              and ($4::text is null or d.state = $4) and ($5::text is null or d.channel = $5))) as fits
      from (
        select e.* from arauto.event e
         where e.tenant_id = $1
           and e.id < coalesce($7::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           and (e.tenant_id, e.id)
               >= ($1, arauto.first_id_of(coalesce($6::timestamptz, '-infinity') - interval '1 hour'))
         order by e.id desc nulls last limit $9::integer) s) w
 where w.fits or w.step = $9::integer
 order by w.id desc nulls last
 limit $8::integer
