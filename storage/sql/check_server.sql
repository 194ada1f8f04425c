-- What acknowledged commits rest on; and whose process answers: behind a pooler it is not the one that libpq was told.
select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
       pg_backend_pid() as process
