-- A template may be private: its variables are never shown, and are gone when the last delivery of the event is final. A
-- replay afterwards is refused as one of an erased event is: there is nothing to send.
--   private  of a delivery: some template of its event is private. Copied at accept, so that a settlement of any other
--            delivery pays a comparison and no look-up.
alter table arauto.delivery add column private boolean not null default false;
set local role arauto_steward; -- sees every row
update arauto.delivery d set private = true
 where d.event_id in (select p.event_id from arauto.delivery p join arauto.template t on t.id = p.template_id
                       where t.private);
update arauto.event e set variables = null, erased_at = now()
 where e.erased_at is null
   and exists (select from arauto.delivery d where d.event_id = e.id and d.private)
   and not exists (select from arauto.delivery d where d.event_id = e.id and d.settled_at is null);
set local role none;

-- The one place where that is decided, whatever ended the delivery: a settlement, a stop, a permit, the reaper, a person,
-- or an accept that had nothing to send. Locks the event, so that of two last deliveries the later one sees the earlier:
-- a volatile function reads with a new snapshot.
create function arauto.forget_private() returns trigger language plpgsql volatile as $$
begin
  perform from arauto.event e where e.id = new.event_id and e.erased_at is null for update;
  if found and not exists (select from arauto.delivery d where d.event_id = new.event_id and d.settled_at is null) then
    update arauto.event e set variables = null, erased_at = now() where e.id = new.event_id and e.erased_at is null;
  end if;
  return null;
end
$$;
create trigger delivery_ends_private after update on arauto.delivery
  for each row when (new.private and new.settled_at is not null and old.settled_at is null)
  execute function arauto.forget_private();
create trigger delivery_born_ended_private after insert on arauto.delivery
  for each row when (new.private and new.settled_at is not null)
  execute function arauto.forget_private();
grant update (variables, erased_at) on arauto.event to arauto_worker;
