-- $1 role. Takes its rights too, if there still is such a role.
with gone as (
  delete from arauto.door d where d.role = $1::name returning d.role, d.tenant_id
)
select g.role, g.tenant_id, (select arauto.close_door(r.rolname) from pg_roles r where r.rolname = g.role) from gone g
