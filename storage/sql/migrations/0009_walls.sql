-- The second wall between tenants, beneath the queries: row level security. The service logs in as it likes and takes on
-- one of three roles for each transaction (storage/reach.hpp); none of them owns a table or may go around a policy, and
-- FORCE holds the owner to the policies too.
--   arauto_tenant   one tenant's own business: the rows of arauto.tenant (a setting of the transaction), no others
--   arauto_worker   a keeper's batch: the rows of the tenants in arauto.tenants, an array; nobody's when it is not set
--   arauto_steward  the house: keys, tenants, nodes, timers over all tenants
-- Roles belong to the whole server, and another database may have made them; two migrations may meet here.
do $$
declare wanted text;
begin
  foreach wanted in array array['arauto_tenant', 'arauto_worker', 'arauto_steward'] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin noinherit', wanted);
      end if;
    exception when duplicate_object or unique_violation then null;
    end;
    -- A superuser may take on any role. Another owner becomes a member, so that one login may migrate and serve.
    if not pg_has_role(current_user, wanted, 'member') then
      execute format('grant %I to %I', wanted, current_user);
    end if;
  end loop;
end
$$;

-- Whose rows a transaction sees. current_setting gives '' once a setting was made and taken back.
create function arauto.tenant_in_reach() returns text language sql stable parallel safe as $$
  select nullif(current_setting('arauto.tenant', true), '')
$$;
create function arauto.tenants_in_reach() returns text[] language sql stable parallel safe as $$
  select coalesce(nullif(current_setting('arauto.tenants', true), ''), '{}')::text[]
$$;

-- Nothing that hangs on an event may name another tenant than the event does.
alter table arauto.outbox
  add column tenant_id text not null,
  add foreign key (event_id, tenant_id) references arauto.event (id, tenant_id);
alter table arauto.target
  add foreign key (event_id, tenant_id) references arauto.event (id, tenant_id);

-- Sub-selects, so that a policy's value is made once for each statement. The worker's is asked of rows that were found
-- by another way (a hashed sub-plan): an array would invite the planner to walk an index by it.
do $$
declare tenanted text;
begin
  foreach tenanted in array array['recipient', 'device', 'preference', 'suppression', 'template', 'event', 'delivery',
                                  'target', 'attempt', 'outbox'] loop
    execute format($policy$
      alter table arauto.%1$I enable row level security, force row level security;
      create policy one_tenant on arauto.%1$I to arauto_tenant
        using (tenant_id = (select arauto.tenant_in_reach()));
      create policy some_tenants on arauto.%1$I to arauto_worker
        using (tenant_id in (select unnest(arauto.tenants_in_reach())));
      create policy house on arauto.%1$I to arauto_steward using (true)
    $policy$, tenanted);
  end loop;
end
$$;
alter table arauto.tenant enable row level security, force row level security;
create policy one_tenant on arauto.tenant to arauto_tenant using (id = (select arauto.tenant_in_reach()));
create policy some_tenants on arauto.tenant to arauto_worker
  using (id in (select unnest(arauto.tenants_in_reach())));
create policy house on arauto.tenant to arauto_steward using (true);
alter table arauto.api_key enable row level security, force row level security;
create policy house on arauto.api_key to arauto_steward using (true);

-- What each role may do, and nothing that it does not do. A lock on a row needs the right to update one of its columns.
grant usage on schema arauto to arauto_tenant, arauto_worker, arauto_steward;
grant select on arauto.tenant, arauto.recipient, arauto.device, arauto.preference, arauto.suppression, arauto.template,
                arauto.event, arauto.delivery, arauto.target, arauto.attempt, arauto.dead_letters, arauto.in_doubt
   to arauto_tenant;
grant insert, update, delete on arauto.recipient, arauto.device, arauto.preference, arauto.template to arauto_tenant;
grant update on arauto.event, arauto.delivery to arauto_tenant;
grant update (detail) on arauto.attempt to arauto_tenant;
grant update (paced_until) on arauto.tenant to arauto_tenant;

grant select on arauto.tenant, arauto.recipient, arauto.device, arauto.preference, arauto.suppression, arauto.template,
                arauto.event, arauto.delivery, arauto.target, arauto.attempt
   to arauto_worker;
grant insert on arauto.event, arauto.delivery, arauto.target, arauto.attempt, arauto.outbox, arauto.suppression
   to arauto_worker;
grant update on arauto.delivery, arauto.target, arauto.attempt to arauto_worker;
grant update (created_at) on arauto.recipient to arauto_worker; -- accept locks the person

grant select, insert, update, delete on all tables in schema arauto to arauto_steward;
revoke insert, update, delete on arauto.migration from arauto_steward;

-- The product's own lists look through these with the eyes of who asks.
alter view arauto.dead_letters set (security_invoker = true);
alter view arauto.in_doubt set (security_invoker = true);
