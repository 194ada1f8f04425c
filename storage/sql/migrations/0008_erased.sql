-- Whether an event's words were taken back, as committed now and not as the asking statement's snapshot has it: a
-- volatile function reads with a snapshot of its own. Ask it under a lock on the delivery, which an erasure takes first.
create function arauto.is_erased(event uuid) returns boolean language plpgsql volatile as $$
begin
  return exists (select from arauto.event e where e.id = event and e.erased_at is not null);
end
$$;
