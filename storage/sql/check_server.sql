-- What acknowledged commits rest on.
select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes
