-- The files that "gates -- watch" has imported and not moved yet. A row is written with the tickets, in one commit: whether that
-- was made can be looked up where its answer was lost, and after a restart.
create table if not exists public.watched_files (
  event_id text not null check (event_id ~ '^[0-9a-fA-F]{32}$'),
  name text not null,
  -- Changes when the file is replaced or written to.
  fingerprint text not null,
  imported_at timestamptz not null default now(),
  report text not null,
  primary key (event_id, name, fingerprint)
);
