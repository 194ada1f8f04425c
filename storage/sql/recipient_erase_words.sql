-- What providers said of messages whose deliveries recipient_erase_messages holds. Live rows (in flight, in doubt) lose
-- their words too: they are stopped and never sent again.
-- $1 event ids, uuid array
with deliveries as (
  update arauto.delivery d set detail = null where d.event_id = any ($1::uuid[]) and d.detail is not null
)
update arauto.attempt a set detail = null where a.event_id = any ($1::uuid[]) and a.detail is not null
