-- The numbered migrations that the database has seen.
select number from arauto.migration where number > 0
