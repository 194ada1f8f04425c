-- Hands arauto one notification inside the caller's transaction; what it promises and how it refuses: README.md.
-- It runs as arauto_worker and sees the rows of the tenant to which the caller's role is bound, and no others. What it
-- sets, it sets for its own duration: nothing that the caller's session says may change what a name means, or the plans,
-- which must not depend on statistics (as in storage/session.cpp).
create or replace function arauto.notify(
  user_id text, type text, variables json default '{}', client_operation_id text default null,
  channels text[] default null, priority text default 'normal', send_at timestamptz default null,
  expires_at timestamptz default null)
returns uuid language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set row_security = on
set standard_conforming_strings = on
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  door   record;
  tenant record;
  words  record;
  stands record;
begin
  select d.tenant_id, d.wakes into door from arauto.door d where d.role = arauto.calling_role();
  if not found then
    perform arauto.refuse('AR003', '', 'this role is bound to no tenant', 'An operator runs: arauto door bind ROLE --tenant ID');
  end if;
  perform set_config('arauto.tenants', array[door.tenant_id]::text, true);
  select t.status = 'active' as is_active, coalesce(l.variables_bytes_max, 65536) as variables_bytes_max into tenant
    from arauto.tenant t left join arauto.tenant_limit l on l.tenant_id = t.id where t.id = door.tenant_id;
  if not tenant.is_active then
    perform arauto.refuse('AR004', '', 'the tenant is stopped', 'Ask the operator of arauto.');
  end if;

  perform arauto.check_name('user_id', user_id);
  if type is null or type !~ '^[0-9A-Za-z._:-]{1,128}$' then
    perform arauto.refuse_argument('type', '1 to 128 characters of A-Z a-z 0-9 . _ : - are expected');
  end if;
  perform arauto.check_name('client_operation_id', client_operation_id);
  if btrim(client_operation_id, ' ') = '' then
    perform arauto.refuse_argument('client_operation_id', 'blanks alone are not a name');
  end if;
  words := arauto.read_variables(coalesce(variables, '{}'), tenant.variables_bytes_max);
  if words.fault = 'too_large' then
    perform arauto.refuse('AR011', 'variables', 'at most ' || tenant.variables_bytes_max || ' bytes', 'Send a reference instead of the whole.');
  elsif words.fault is not null then
    perform arauto.refuse_argument('variables', words.fault);
  end if;
  if channels is not null then
    perform arauto.check_channels(channels);
  end if;
  if coalesce(priority, 'normal') not in ('normal', 'urgent') then
    perform arauto.refuse_argument('priority', 'normal or urgent is expected');
  end if;
  perform arauto.check_times(send_at, expires_at);

  for turn in 1..3 loop -- a commit that came between snapshot and insert: the next statement's snapshot sees it
    select max(r.verdict) as verdict, max(r.subject) as subject,
           (array_agg(r.id) filter (where r.n is not null))[1] as id, bool_or(r.state = 'pending') as waits
      into stands
      from arauto.accept_items(
        json_build_array(json_build_object(
          'n', 0, 'id', arauto.new_event_id(), 'tenant_id', door.tenant_id, 'user_id', user_id, 'type', type,
          'variables', words.compact, 'client_key', client_operation_id,
          'channels', (select array_agg(c.via order by c.via collate "C") from unnest(channels) as c(via)),
          'priority', case priority when 'urgent' then 0 else 1 end,
          'send_at', send_at, 'expires_at', expires_at, 'lease_at_once', '{}'::text[])),
        null, null) r;
    exit when stands.verdict <> 'unseen';
  end loop;

  if stands.verdict not in ('created', 'replayed') then
    perform arauto.refuse_verdict(stands.verdict, stands.subject);
  end if;
  if door.wakes and stands.waits and stands.verdict = 'created' and (send_at is null or send_at <= now()) then
    perform pg_notify('arauto_due', door.tenant_id); -- equal ones collapse; only the tenant's name, whatever the event
  end if;
  perform set_config('arauto.tenants', '', true); -- not a SET above: only a superuser may write that of a name of ours
  return stands.id;
end
$$;

-- A name for the event, as HTTP's are made: UUIDv7, 48 bits of milliseconds, then chance.
create or replace function arauto.new_event_id() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
           substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
           52, 1), 53, 1), 'hex')::uuid -- version 4 becomes 7
$$;

create or replace function arauto.refuse_verdict(verdict text, subject text) returns void language plpgsql as $$
begin
  case verdict
    when 'conflict' then
      perform arauto.refuse('AR005', 'client_operation_id', 'this operation was accepted with another meaning',
                            'One operation, one meaning: take another id for another notification.');
    when 'unknown_user' then
      perform arauto.refuse('AR006', 'user_id', 'this user is not known', 'Put the user first: PUT /v1/users/{user_id}');
    when 'no_template' then
      perform arauto.refuse('AR008', case subject when '' then 'type' else 'channels' end,
        'no template stands for this type' || case subject when '' then '' else ' and channel ' || subject end,
        'Put the template first: PUT /v1/templates/{type}/{channel}');
    when 'missing_variable' then
      perform arauto.refuse('AR009', 'variables', 'the template needs the variable ' || subject, 'Give it in variables.');
    when 'expired' then
      perform arauto.refuse('AR010', 'expires_at', 'this time has passed', 'It would be too late: nothing is sent.');
    else
      raise exception 'arauto.notify: the operation is being accepted by another transaction'
        using errcode = 'serialization_failure', hint = 'Run the transaction again.';
  end case;
end
$$;
