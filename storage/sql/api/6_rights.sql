-- The functions run, and the views look, with the rights of roles that own no table and stand before its walls.
grant create on schema arauto to arauto_worker, arauto_steward; -- a new owner must have it, for this moment
alter function arauto.notify(text, text, json, text, text[], text, timestamptz, timestamptz) owner to arauto_worker;
alter view arauto.tenant_in_view owner to arauto_steward;
alter view arauto.dead_letters owner to arauto_steward;
alter view arauto.in_doubt owner to arauto_steward;
alter view arauto.waiting owner to arauto_steward;
alter view arauto.lag_by_tenant owner to arauto_steward;
revoke create on schema arauto from arauto_worker, arauto_steward;

-- All that a bound role may do. The three functions beside notify only make words of what they are given; views run
-- functions with their reader's rights.
create or replace function arauto.open_door(who name) returns void language plpgsql as $$
begin
  execute format('grant usage on schema arauto to %I', who);
  execute format('grant execute on function arauto.notify(text, text, json, text, text[], text, timestamptz, timestamptz),
    arauto.api_version(), arauto.doubt_waits_for(timestamptz, timestamptz, text),
    arauto.waiting_for(text, timestamptz, timestamptz, timestamptz, text, timestamptz) to %I', who);
  execute format('grant select on arauto.dead_letters, arauto.in_doubt, arauto.waiting, arauto.lag_by_tenant to %I', who);
end
$$;

create or replace function arauto.close_door(who name) returns void language plpgsql as $$
begin
  execute format('revoke all on all functions in schema arauto from %I', who);
  execute format('revoke all on all tables in schema arauto from %I', who);
  execute format('revoke usage on schema arauto from %I', who);
end
$$;

-- What came new is for those who are bound already. A role that was dropped and made again has lost its rights, and does
-- not get them back by its name.
do $$
declare bound name;
begin
  for bound in
    select r.rolname from arauto.door d join pg_roles r on r.rolname = d.role
     where has_schema_privilege(r.rolname, 'arauto', 'usage') loop
    perform arauto.open_door(bound);
  end loop;
end
$$;
