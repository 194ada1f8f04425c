-- $1 seconds after which a silent node counts as dead
select n.id, n.address, array_to_string(n.roles, ',') as roles, arauto.rfc3339(n.heartbeat_at) as heartbeat_at,
       n.heartbeat_at > clock_timestamp() - $1::integer * interval '1 second' as alive
  from arauto.node n order by n.id
