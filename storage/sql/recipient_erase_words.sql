-- What providers said of messages whose deliveries recipient_erase_messages holds. Live rows (in flight, in doubt) lose
-- their words too: they are stopped and never sent again.
-- $1 tenant   $2 event ids, uuid array
with deliveries as (
  update arauto.delivery d set detail = null
   where d.tenant_id = $1 and d.event_id = any ($2::uuid[]) and d.detail is not null
),
targets as (
  update arauto.target t set detail = null
   where t.tenant_id = $1 and t.event_id = any ($2::uuid[]) and t.detail is not null
)
update arauto.attempt a set detail = null
 where a.tenant_id = $1 and a.event_id = any ($2::uuid[]) and a.detail is not null
