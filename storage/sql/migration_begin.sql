-- The ledger of migrations, made at the first start. The advisory lock (transaction scoped) lets one node migrate while
-- the others wait.
select pg_advisory_xact_lock(7243392)
