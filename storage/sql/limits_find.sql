-- $1 tenant
-- No row: there is no such tenant.
select l.body_bytes_max, l.variables_bytes_max
  from arauto.tenant t left join arauto.tenant_limit l on l.tenant_id = t.id where t.id = $1
