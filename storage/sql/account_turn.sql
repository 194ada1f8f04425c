-- No parameters. Changes of accounts are made one after the other until COMMIT, so that versions become visible in their
-- order (accounts_since).
select pg_advisory_xact_lock(hashtextextended('arauto.account', 0))
