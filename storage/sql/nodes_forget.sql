-- Nodes whose heart stopped an hour ago are history.
delete from arauto.node where heartbeat_at < clock_timestamp() - interval '1 hour'
