-- Which text the public functions and views were made from; no row: none yet. The ledger keeps it under the number 0.
select name from arauto.migration where number = 0
