-- A tenant's notifications as a list, newest first. Ids are UUIDv7, so their order is that of time, and the key that
-- foreign keys lean on serves the list too once it begins with the tenant: no index more for an accept to write.
-- nulls first: there are none, but only this index has that order, so that no plan for the list, made while the table was
-- small or of few tenants, walks everybody's events by the primary key instead.
create temporary table leaning on commit drop as
select c.conrelid::regclass::text as from_table, c.conname, pg_get_constraintdef(c.oid) as says
  from pg_constraint c
  join pg_constraint k on k.conindid = c.conindid and k.contype = 'u' and k.conrelid = c.confrelid
 where c.contype = 'f' and k.conrelid = 'arauto.event'::regclass and k.conname = 'event_id_tenant_id_key';

do $$
declare l record;
begin
  for l in select * from leaning loop
    execute format('alter table %s drop constraint %I', l.from_table, l.conname);
  end loop;
  alter table arauto.event drop constraint event_id_tenant_id_key;
  create unique index event_of_tenant on arauto.event (tenant_id, id nulls first);
  for l in select * from leaning loop
    execute format('alter table %s add constraint %I %s', l.from_table, l.conname, l.says);
  end loop;
end
$$;

-- The least id that an event of that time can have.
create function arauto.first_id_of(moment timestamptz) returns uuid language sql stable parallel safe as $$
  select (lpad(to_hex(greatest(0, least((extract(epoch from moment) * 1000)::numeric, 281474976710655))::bigint), 12, '0')
          || repeat('0', 20))::uuid
$$;
