-- Whether an arauto has made its tables here. Asked of the catalogue, which answers everybody.
select exists (select from pg_roles where rolname = 'arauto_steward')
   and exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = 'arauto' and c.relname = 'migration')
