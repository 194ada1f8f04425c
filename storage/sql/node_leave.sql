-- $1 node
delete from arauto.node where id = $1::uuid
