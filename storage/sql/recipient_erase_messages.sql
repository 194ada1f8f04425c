-- $1 tenant  $2 user
-- What the person was told. Gives the events' ids: what providers said of them goes in the next statement
-- (recipient_erase_words), whose snapshot sees what was written down before the locks. Every delivery of the person is
-- locked first, in key order, a final one too: a late answer is either seen, or sees that its event is erased.
with told as materialized (
  select e.id from arauto.event e where e.tenant_id = $1 and e.user_id = $2 and e.erased_at is null
),
held as materialized (
  select d.event_id
    from told t join arauto.delivery d on d.event_id = t.id and d.tenant_id = $1
   order by d.event_id, d.channel
     for update of d
),
devices as (
  update arauto.device d set ended_at = coalesce(d.ended_at, now()), end_reason = coalesce(d.end_reason, 'erased'), token = '',
         keys = null
   where d.tenant_id = $1 and d.user_id = $2
)
update arauto.event e set variables = null, erased_at = now()
  from told t
 where e.id = t.id and (select count(*) from held) >= 0 -- not before all are held
returning e.id
