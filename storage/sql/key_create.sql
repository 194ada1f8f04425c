-- $1 tenant or null (an operator's key)  $2 prefix  $3 SHA-256 of the secret, hex
insert into arauto.api_key (tenant_id, prefix, digest) values ($1, $2, decode($3, 'hex')) returning id
