-- No parameters. Run as a script, before any numbered migration.
create schema if not exists arauto;
create table if not exists arauto.migration (
  number integer primary key,
  name   text not null,
  run_at timestamptz not null default now()
);
