-- All bound roles. rights: false for a role that was dropped, and perhaps made again, since: bind it again.
select d.role, d.tenant_id, d.wakes, arauto.rfc3339(d.created_at) as created_at,
       exists (select from pg_roles r where r.rolname = d.role and has_schema_privilege(r.oid, 'arauto', 'usage')) as rights
  from arauto.door d order by d.role
