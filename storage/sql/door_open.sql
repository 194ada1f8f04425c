-- $1 role: gives it what a bound role may do (api/6_rights.sql)
select arauto.open_door($1::name)
