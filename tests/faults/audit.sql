-- Every move of a delivery's state or lease token, as the database saw it: the checker's own trail (I9, I10), which no
-- door of the product can bend. Lives in the test's database only.
create schema faults;
create table faults.move (
  number    bigint generated always as identity primary key,
  event_id  uuid not null,
  channel   text not null,
  at        timestamptz not null,
  old_state text not null,
  new_state text not null,
  old_token bigint not null,
  new_token bigint not null,
  new_cause text,
  due_at    timestamptz not null,
  leased_until timestamptz,
  taken_over boolean not null -- by the reaper; a cause alone stays on the row when a later lease is given back
);
create function faults.note() returns trigger language plpgsql security definer as $$
begin
  insert into faults.move (event_id, channel, at, old_state, new_state, old_token, new_token, new_cause, due_at,
                           leased_until, taken_over)
  values (new.event_id, new.channel, clock_timestamp(), old.state, new.state, old.lease_token, new.lease_token,
          new.cause, old.next_attempt_at, old.lease_until,
          new.cause is not distinct from 'worker_lost'
            and (new.lost_leases > old.lost_leases or new.doubts > old.doubts));
  return null;
end
$$;
create trigger faults_note after update on arauto.delivery
  for each row when (old.state <> new.state or old.lease_token <> new.lease_token) execute function faults.note();
