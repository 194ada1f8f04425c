-- Push for real: devices by the tenant's own names, what became of each device of a delivery, accounts at providers.
-- No door ever put a row into the two tables that are made anew.
drop table arauto.target, arauto.device;

-- One device of a person, by the tenant's own name for it. An ended one has no token any more, and no keys.
--   token          FCM, APNs: the registration; web_push: the endpoint. As secret as an address.
--   keys           web_push: {"p256dh": …, "auth": …}
--   registered_at  when the app said this very token last; what a provider says of an older one does not end it
--   end_reason     moved (another device has the token now), removed, erased, or the provider's word
create table arauto.device (
  tenant_id     text not null,
  user_id       text not null,
  device_id     text not null check (octet_length(device_id) between 1 and 255),
  provider      text not null check (provider in ('fcm', 'apns', 'web_push')),
  app           text not null check (octet_length(app) <= 255),
  token         text not null check (octet_length(token) <= 2048), -- a page of the index must hold three
  keys          json,
  registered_at timestamptz not null,
  ended_at      timestamptz,
  end_reason    text,
  primary key (tenant_id, user_id, device_id),
  foreign key (tenant_id, user_id) references arauto.recipient,
  check ((ended_at is null) = (end_reason is null)),
  check ((ended_at is null) = (token <> '')),
  check ((keys is not null) = (provider = 'web_push' and ended_at is null))
);
create unique index device_token on arauto.device (tenant_id, provider, app, token) where ended_at is null;
create index device_of_user on arauto.device (tenant_id, user_id) where ended_at is null;
create index device_ended on arauto.device (ended_at) where ended_at is not null; -- retention's

-- One row for each device that a push delivery is for, made by the first permit of a budget. Its holder is the lease of
-- the delivery; nobody touches it without a lock on the delivery.
--   due_at       when it may be addressed; infinity: never again, or held until evidence or a person
--   lease_token  of the attempt that addressed it last
--   doubted_at   since when nobody knows whether this device's provider has it
create table arauto.target (
  event_id     uuid not null,
  channel      text not null,
  device_id    text not null,
  tenant_id    text not null,
  provider     text not null,
  app          text not null,
  state        text not null check (state in ('pending', 'leased', 'retry_wait', 'in_doubt', 'provider_accepted',
                                              'permanent_failure')),
  due_at       timestamptz not null,
  lease_token  bigint,
  attempts     integer not null default 0 check (attempts >= 0),
  doubted_at   timestamptz,
  code         integer not null default 0,
  cause        text,
  detail       text,
  provider_ref text,
  told_at      timestamptz,
  primary key (event_id, channel, device_id),
  check (state <> 'leased' or lease_token is not null),
  check (state <> 'in_doubt' or doubted_at is not null),
  check (state not in ('provider_accepted', 'permanent_failure') or due_at = 'infinity'),
  check (state <> 'permanent_failure' or cause is not null)
) with (fillfactor = 70);
alter table arauto.target set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- A tenant's account at a provider: one for an outlet, app '' for those that have none of their own.
--   sealed    what may not be shown, as storage/sealing.hpp writes it; key_name says under which key
--   version   a new and larger one with each change; changes are made one after the other, so that who has seen one has
--             seen all before it
--   paused_*  what its courier said last
create sequence arauto.account_version;
create table arauto.account (
  id          uuid primary key default gen_random_uuid(),
  tenant_id   text not null references arauto.tenant,
  provider    text not null check (provider in ('smtp', 'fcm', 'apns', 'web_push')),
  app         text not null check (octet_length(app) <= 255),
  open        json not null,
  sealed      text,
  key_name    text,
  version     bigint not null,
  paused_at   timestamptz,
  pause_cause text,
  pause_code  integer not null default 0,
  created_at  timestamptz not null default now(),
  changed_at  timestamptz not null default now(),
  removed_at  timestamptz,
  unique (tenant_id, provider, app),
  check ((sealed is null) = (removed_at is not null)),
  check ((key_name is null) = (sealed is null)),
  check ((paused_at is null) = (pause_cause is null))
);
create unique index account_by_version on arauto.account (version);
create index account_key on arauto.account (key_name) where key_name is not null;

do $$
declare tenanted text;
begin
  foreach tenanted in array array['device', 'target'] loop
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
alter table arauto.account enable row level security, force row level security;
create policy house on arauto.account to arauto_steward using (true);

grant select, insert, update on arauto.device to arauto_tenant;
grant select, update, delete on arauto.target to arauto_tenant;
grant select, update (ended_at, end_reason, token, keys) on arauto.device to arauto_worker; -- a permit locks them too
grant select, insert, update on arauto.target to arauto_worker;
grant select, insert, update, delete on arauto.device, arauto.target, arauto.account to arauto_steward;
grant usage on sequence arauto.account_version to arauto_steward;

-- Where a push may go now, as ["provider/app", …]; null: nowhere. Devices of the person that live, and that it is not for
-- yet (`begins`: the next permit is the first of a budget) or that are due.
create function arauto.outlets_due(event uuid, via text, tenant text, who text, begins boolean) returns json
language plpgsql stable as $$
begin
  return (
    select json_agg(o.outlet order by o.outlet collate "C")
      from (
        select distinct dv.provider || '/' || dv.app as outlet
          from arauto.device dv
          left join lateral (
            select t.* from arauto.target t
             where t.event_id = event and t.channel = via and t.device_id = dv.device_id limit 1) t on true
         where dv.tenant_id = tenant and dv.user_id = who and dv.ended_at is null
           and case when t.device_id is null then begins
                    else t.state in ('pending', 'leased', 'retry_wait', 'in_doubt') and t.due_at <= statement_timestamp()
                         and t.provider = dv.provider and t.app = dv.app end) o);
end
$$;

-- When the first device of a push took it, if one did: then the push ends as nothing but provider_accepted. As committed
-- now, under a lock on the delivery (see arauto.is_erased).
create function arauto.push_accepted_at(event uuid) returns timestamptz language plpgsql volatile as $$
begin
  return (select min(t.told_at) from arauto.target t
           where t.event_id = event and t.channel = 'push' and t.state = 'provider_accepted');
end
$$;

drop function if exists arauto.accept_items(json, uuid, integer); -- made anew with one column more
