-- No parameters. Run as a script, after the numbered migrations: PostgreSQL lets everybody call a new function, here only
-- the service's own roles may. (Default privileges would reach beyond our schema.) Who comes by the SQL door was given its
-- function by name.
revoke execute on all functions in schema arauto from public;
grant execute on all functions in schema arauto to arauto_tenant, arauto_worker, arauto_steward;
