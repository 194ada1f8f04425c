-- The whole shape of arauto's data. Names follow the design: tenant, recipient, event, delivery, attempt.
-- Every key of tenant data starts with tenant_id or is a uuid that only leads to rows carrying tenant_id, and foreign
-- keys carry it too, so that no row can point across tenants.

create table arauto.tenant (
  id             text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name           text not null,
  status         text not null default 'active' check (status in ('active', 'stopped')),
  sender_address text,
  sender_name    text,
  created_at     timestamptz not null default now()
);

-- tenant_id null: an operator's key. Only SHA-256 of the secret is kept: 256 random bits need no slow hash.
create table arauto.api_key (
  id         bigint generated always as identity primary key,
  tenant_id  text references arauto.tenant,
  prefix     text not null unique,
  digest     bytea not null check (octet_length(digest) = 32),
  scopes     text[] not null default '{send,read,preferences,admin}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_key_of_tenant on arauto.api_key (tenant_id);

-- erased_at: a tombstone; the personal columns are null, while dedupe and opt-outs go on.
create table arauto.recipient (
  tenant_id    text not null references arauto.tenant,
  user_id      text not null check (octet_length(user_id) between 1 and 255),
  email        text,
  email_digest bytea check (octet_length(email_digest) = 32),
  name         text,
  locale       text,
  time_zone    text,
  created_at   timestamptz not null default now(),
  erased_at    timestamptz,
  primary key (tenant_id, user_id),
  check ((email is null) = (email_digest is null)),
  check (erased_at is null or (email is null and name is null))
);

create table arauto.device (
  id            uuid not null,
  tenant_id     text not null,
  user_id       text not null,
  provider      text not null check (provider in ('fcm', 'apns', 'web_push')),
  app           text not null,
  token         text not null,
  registered_at timestamptz not null default now(),
  ended_at      timestamptz,
  end_reason    text,
  primary key (id, tenant_id),
  foreign key (tenant_id, user_id) references arauto.recipient,
  check ((ended_at is null) = (end_reason is null))
);
create unique index device_token on arauto.device (tenant_id, provider, app, token) where ended_at is null;
create index device_of_user on arauto.device (tenant_id, user_id) where ended_at is null;

-- type '' speaks for every type; the narrower row wins; no row means allowed.
create table arauto.preference (
  tenant_id text not null,
  user_id   text not null,
  channel   text not null check (channel in ('email', 'push')),
  type      text not null default '',
  allowed   boolean not null,
  primary key (tenant_id, user_id, channel, type),
  foreign key (tenant_id, user_id) references arauto.recipient
);

-- Addresses a provider refused for good, by digest of their canonical form.
create table arauto.suppression (
  tenant_id  text not null references arauto.tenant,
  channel    text not null check (channel in ('email', 'push')),
  digest     bytea not null check (octet_length(digest) = 32),
  reason     text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, channel, digest)
);

-- A version never changes; deliveries are pinned to one. The standing version is the one without ended_at.
create table arauto.template (
  id         bigint generated always as identity primary key,
  tenant_id  text not null references arauto.tenant,
  type       text not null check (octet_length(type) between 1 and 128),
  channel    text not null check (channel in ('email', 'push')),
  locale     text not null default '',
  version    integer not null,
  parts      json not null, -- [{"name": …, "text": …}]
  required   text[] not null default '{}',
  private    boolean not null default false,
  created_at timestamptz not null default now(),
  ended_at   timestamptz,
  unique (tenant_id, type, channel, locale, version)
);
create unique index template_standing on arauto.template (tenant_id, type, channel, locale) where ended_at is null;

-- variables is json, not jsonb: numbers and order stay as written. The fingerprint is the meaning of the operation.
create table arauto.event (
  id           uuid primary key,
  tenant_id    text not null,
  user_id      text not null,
  type         text not null,
  variables    json,
  priority     smallint not null check (priority in (0, 1)), -- 0 urgent, 1 normal
  client_key   text not null check (octet_length(client_key) between 1 and 255),
  fingerprint  bytea not null,
  created_at   timestamptz not null,
  send_at      timestamptz,
  expires_at   timestamptz,
  cancelled_at timestamptz,
  erased_at    timestamptz,
  unique (client_key, tenant_id),
  unique (id, tenant_id), -- for the foreign keys
  foreign key (tenant_id, user_id) references arauto.recipient,
  check ((variables is null) = (erased_at is not null))
);

-- One per event and channel: the outbox of the providers. Its CHECKs repeat model/state.hpp.
--   lease_token   the fence; grows by one with each claim, never goes back
--   begun_at      an attempt under this lease was permitted
--   accepted_at   a provider's acceptance is on record, whoever held the lease when it came
--   stop_reason   no attempt may begin any more: cancelled, opted_out, erased
create table arauto.delivery (
  event_id        uuid not null,
  channel         text not null check (channel in ('email', 'push')),
  tenant_id       text not null,
  user_id         text not null,
  priority        smallint not null check (priority in (0, 1)),
  state           text not null check (state in ('pending', 'leased', 'retry_wait', 'in_doubt', 'provider_accepted',
                                                 'permanent_failure', 'suppressed', 'cancelled', 'expired')),
  attempts        integer not null default 0 check (attempts >= 0),
  attempts_before integer not null default 0 check (attempts_before >= 0), -- spent before a person's replay
  deferrals       integer not null default 0 check (deferrals >= 0),
  lost_leases     integer not null default 0 check (lost_leases >= 0),
  doubtful        boolean not null default false,
  stop_reason     text check (stop_reason in ('cancelled', 'opted_out', 'erased')),
  next_attempt_at timestamptz not null, -- infinity: held, waits for evidence or a person
  template_id     bigint, -- versions are never deleted; a foreign key would lock one hot row in every accept
  lease_token     bigint not null default 0,
  lease_owner     uuid,
  lease_until     timestamptz,
  begun_at        timestamptz,
  provider_ref    text,
  cause           text,
  detail          text,
  accepted_at     timestamptz,
  settled_at      timestamptz,
  primary key (event_id, channel),
  foreign key (event_id, tenant_id) references arauto.event (id, tenant_id),
  check ((state = 'leased') = (lease_until is not null)),
  check ((state = 'leased') = (lease_owner is not null)),
  check (begun_at is null or state = 'leased'),
  check ((settled_at is not null) = (state in ('provider_accepted', 'permanent_failure', 'suppressed', 'cancelled',
                                               'expired'))),
  check (state <> 'provider_accepted' or accepted_at is not null),
  check (state <> 'permanent_failure' or cause is not null)
) with (fillfactor = 70);

-- The claim walks this: due rows of one tenant and channel by priority and time. Finished rows are not in it, future
-- rows are past the end of the scan, suspects (see delivery_suspect) are claimed apart.
create index delivery_due on arauto.delivery (tenant_id, channel, priority, next_attempt_at)
  where state in ('pending', 'retry_wait', 'in_doubt') and lost_leases < 2;
-- Rows that took a worker down at least twice: claimed alone, so that poison is found and its neighbours are innocent.
create index delivery_suspect on arauto.delivery (next_attempt_at)
  where state in ('pending', 'retry_wait', 'in_doubt') and lost_leases >= 2;
-- The reaper's: bounded by the windows of all nodes. lease_until is not in it, so that a renewal stays in its page.
create index delivery_leased on arauto.delivery (lease_owner) where state = 'leased';
-- Opt-out and erasure sweep a person's live deliveries.
create index delivery_live_of_user on arauto.delivery (tenant_id, user_id)
  where state in ('pending', 'leased', 'retry_wait', 'in_doubt');
create index delivery_dead on arauto.delivery (tenant_id, settled_at) where state = 'permanent_failure';

-- One row per device of a push delivery, written before the next retry.
create table arauto.target (
  event_id     uuid not null,
  channel      text not null,
  tenant_id    text not null,
  device_id    uuid not null,
  begun_at     timestamptz,
  outcome      text,
  provider_ref text,
  primary key (event_id, channel, device_id),
  foreign key (event_id, channel) references arauto.delivery,
  foreign key (device_id, tenant_id) references arauto.device (id, tenant_id)
);

-- The trail: one row per permitted attempt, appended when it is settled, by its worker, or by the reaper for a worker
-- that never came back. `late` marks an answer that came after the lease had gone: evidence, not a state.
create table arauto.attempt (
  event_id    uuid not null,
  channel     text not null,
  lease_token bigint not null,
  tenant_id   text not null,
  number      integer not null,
  begun_at    timestamptz,
  ended_at    timestamptz not null,
  outcome     text not null check (outcome in ('accepted', 'refused_for_now', 'refused', 'bad_address', 'unknown')),
  code        integer not null default 0,
  detail      text,
  late        boolean not null default false,
  primary key (event_id, channel, lease_token)
);

-- Facts for other systems, ids only; written when a relay target is set.
create table arauto.outbox (
  id           bigint generated always as identity primary key,
  event_id     uuid not null,
  topic        text not null,
  payload      json not null,
  created_at   timestamptz not null default now(),
  published_at timestamptz
);
create index outbox_unpublished on arauto.outbox (id) where published_at is null;

create table arauto.node (
  id           uuid primary key,
  address      text not null default '',
  roles        text[] not null default '{}',
  heartbeat_at timestamptz not null
);

alter table arauto.delivery set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
alter table arauto.event set (autovacuum_vacuum_scale_factor = 0.1);
