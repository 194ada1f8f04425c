-- What a registration meets; runs after recipient_lock and device_turn, in their transaction.
-- $1 tenant   $2 user   $3 device   $4 provider   $5 app   $6 token   $7 keys, JSON or null
-- Locks the device's row and whoever has the token, in key order; a permit that is about to send to one of them is
-- waited for. Gives one row: does the device live, is it the same one, and how many others of the person live.
with held as materialized (
  select dv.*, dv.user_id = $2 and dv.device_id = $3 as own,
         (dv.provider, dv.app, dv.token, dv.keys::text) is not distinct from ($4, $5, $6, $7::text) as same
    from arauto.device dv
   where dv.tenant_id = $1
     and ((dv.user_id = $2 and dv.device_id = $3)
          or (dv.provider = $4 and dv.app = $5 and dv.token = $6 and dv.ended_at is null))
   order by dv.user_id, dv.device_id
     for update
)
select coalesce(bool_or(h.own and h.ended_at is null), false) as lives, coalesce(bool_or(h.own and h.same), false) as same,
       (select count(*) from arauto.device o
         where o.tenant_id = $1 and o.user_id = $2 and o.ended_at is null and o.device_id <> $3
           and not (o.provider = $4 and o.app = $5 and o.token = $6)) as others
  from held h
