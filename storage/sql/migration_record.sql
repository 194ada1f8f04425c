-- $1 number  $2 name
insert into arauto.migration (number, name) values ($1, $2)
