-- Keys that are made for something and end, limits of a tenant, and who changed what.
--   slot          of a tenant's live key, 1 or 2: so at most two live at once, whoever writes. Null: it ended, or it is
--                 an operator's. A key that is past its end gives its slot back when the next one is made.
--   surplus       lived before the rule of two; it goes on, and no other is made while two live
--   last_used_at  to the minute
alter table arauto.api_key
  add column name         text not null default '' check (char_length(name) <= 100),
  add column last_used_at timestamptz,
  add column slot         smallint,
  add column surplus      boolean not null default false,
  alter column scopes drop default;
set local role arauto_steward; -- an owner who is no superuser sees no row of a walled table
update arauto.api_key set scopes = '{}' where tenant_id is null;
update arauto.api_key k
   set slot = l.slot, surplus = l.slot > 2
  from (select id, row_number() over (partition by tenant_id order by id desc) as slot
          from arauto.api_key where tenant_id is not null and revoked_at is null) l
 where k.id = l.id;
set local role none;
alter table arauto.api_key
  add check (scopes <@ '{send,read,preferences,admin}'),
  add check ((tenant_id is null) = (scopes = '{}')),
  add check ((slot is not null) = (tenant_id is not null and revoked_at is null)),
  add check (slot in (1, 2) or surplus),
  add check (expires_at > created_at),
  add unique (tenant_id, slot);

-- What is narrower for one tenant than for the house; null: as the house says. Only what is enforced has a column.
create table arauto.tenant_limit (
  tenant_id           text primary key references arauto.tenant,
  body_bytes_max      integer check (body_bytes_max between 1024 and 8388608),
  variables_bytes_max integer check (variables_bytes_max between 2 and 65536)
);
alter table arauto.tenant_limit enable row level security, force row level security;
create policy one_tenant on arauto.tenant_limit to arauto_tenant
  using (tenant_id = (select arauto.tenant_in_reach()));
create policy house on arauto.tenant_limit to arauto_steward using (true);
grant select on arauto.tenant_limit to arauto_tenant;
grant select, insert, update, delete on arauto.tenant_limit to arauto_steward;

-- One row for each change an operator made, written in the transaction of the change. who: the operator's key by its
-- prefix, or the account on the machine. No address, name or secret: a suppressed address is named by the first digits of
-- its digest.
create table arauto.audit (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  who        text not null check (who <> ''),
  action     text not null check (action ~ '^[a-z]+\.[a-z]+$'),
  tenant_id  text,
  object     text not null default '',
  request_id uuid
);
create index audit_of_tenant on arauto.audit (tenant_id, id);
alter table arauto.audit enable row level security, force row level security;
create policy house on arauto.audit to arauto_steward using (true);
grant select on arauto.audit to arauto_steward;
grant insert (who, action, tenant_id, object, request_id) on arauto.audit to arauto_steward; -- not when, nor which

-- Only added to, by whatever role: the owner too would have to take this trigger away first, and be seen doing it.
create function arauto.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'what operators did is only added to' using errcode = 'AR012';
end
$$;
create trigger audit_is_kept before update or delete or truncate on arauto.audit
  for each statement execute function arauto.refuse_change();
