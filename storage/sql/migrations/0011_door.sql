-- Whose SQL may call arauto.notify, and for which tenant. The functions and views themselves are in api/, made anew
-- whenever their text changes; here is what must not change under anybody's feet.
--   wakes  a commit wakes the tenant's dispatcher by NOTIFY; false: the poll finds it
create table arauto.door (
  role       name primary key,
  tenant_id  text not null references arauto.tenant,
  wakes      boolean not null default true,
  created_at timestamptz not null default now()
);

-- Who calls: the role that the session took on, else the one it logged in as. A function with its owner's rights changes
-- neither: whoever calls one that calls notify, notifies for the tenant of its own login. SET ROLE needs membership.
create function arauto.calling_role() returns name language sql stable parallel safe as $$
  select case current_setting('role') when 'none' then session_user else current_setting('role')::name end
$$;

alter table arauto.door enable row level security, force row level security;
create policy own_door on arauto.door to arauto_worker using (role = (select arauto.calling_role()));
create policy house on arauto.door to arauto_steward using (true);
grant select on arauto.door to arauto_worker;
-- notify asks what its tenant's limits are.
create policy some_tenants on arauto.tenant_limit to arauto_worker
  using (tenant_id in (select unnest(arauto.tenants_in_reach())));
grant select on arauto.tenant_limit to arauto_worker;
grant select, insert, update, delete on arauto.door to arauto_steward;

-- The two public views move to api/.
drop view arauto.dead_letters, arauto.in_doubt;
