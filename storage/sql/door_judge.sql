-- $1 role  $2 tenant
-- What must be known before a role is bound. mighty: it may take on a role of the service, or go around it (a superuser,
-- one that makes roles, goes around row level security, reads or writes everything, or owns the database), so the door
-- would not hold it, and closing the door again would take from it what it needs.
select exists (select from pg_roles r where r.rolname = $1) as role_known,
       exists (select from arauto.tenant t where t.id = $2) as tenant_known,
       exists (select from pg_roles r
                where r.rolname = $1
                  and (r.rolsuper or r.rolcreaterole or r.rolbypassrls
                       or r.oid = (select b.datdba from pg_database b where b.datname = current_database())
                       or exists (select from unnest(array['arauto_tenant', 'arauto_worker', 'arauto_steward',
                                                           'pg_read_all_data', 'pg_write_all_data']) as ours
                                   where pg_has_role(r.oid, ours, 'member')))) as mighty,
       (select d.tenant_id from arauto.door d where d.role = $1::name) as bound_to
