-- $1 id   $2 version   $3 why it is paused, or null   $4 the provider's number
-- A pause begins once, however often it is said. An older version's courier says nothing of this one.
update arauto.account a
   set paused_at = case when $3::text is not null then coalesce(a.paused_at, clock_timestamp()) end,
       pause_cause = $3, pause_code = case when $3 is null then 0 else $4::integer end
 where a.id = $1::uuid and a.version = $2 and a.removed_at is null
   and (a.pause_cause, a.pause_code) is distinct from ($3::text, case when $3 is null then 0 else $4::integer end)
