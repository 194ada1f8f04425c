-- $1 role  $2 tenant
-- What must be known before a role is bound. mighty: it may take on a role of the service (a superuser may), so the door
-- would not hold it, and closing the door again would take from it what it needs.
select exists (select from pg_roles r where r.rolname = $1) as role_known,
       exists (select from arauto.tenant t where t.id = $2) as tenant_known,
       exists (select from pg_roles r, unnest(array['arauto_tenant', 'arauto_worker', 'arauto_steward']) as ours
                where r.rolname = $1 and pg_has_role(r.oid, ours, 'member')) as mighty,
       (select d.tenant_id from arauto.door d where d.role = $1::name) as bound_to
