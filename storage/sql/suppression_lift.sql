-- $1 tenant  $2 channel  $3 the address in its canonical form
delete from arauto.suppression s
 where s.tenant_id = $1 and s.channel = $2 and s.digest = sha256(convert_to($3, 'UTF8'))
returning encode(s.digest, 'hex') as digest
