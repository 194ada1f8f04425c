-- How full PostgreSQL's notification queue is, 0 to 1. Asked by the listening connection, to see that it lives.
select pg_notification_queue_usage()
