-- Deletes events with everything that hangs on them. Runs after retire_hold, in its transaction, as a statement of its
-- own: only a snapshot taken after the locks sees every row of the trail.
-- $1 event ids, uuid array
with trail as (
  delete from arauto.attempt a where a.event_id = any ($1::uuid[])
),
devices as (
  delete from arauto.target t where t.event_id = any ($1::uuid[])
),
deliveries as (
  delete from arauto.delivery d where d.event_id = any ($1::uuid[])
)
delete from arauto.event e where e.id = any ($1::uuid[])
returning e.id
