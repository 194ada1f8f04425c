-- $1 tenant  $2 body_bytes_max  $3 variables_bytes_max; null: as the house says
insert into arauto.tenant_limit (tenant_id, body_bytes_max, variables_bytes_max) values ($1, $2::integer, $3::integer)
    on conflict (tenant_id) do update
   set body_bytes_max = excluded.body_bytes_max, variables_bytes_max = excluded.variables_bytes_max
