-- The newest migration in the database; 0 in an empty one.
select coalesce(max(number), 0) from arauto.migration
