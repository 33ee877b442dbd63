-- What people say of an event: a table of our own, never a gate system's. The gates' role writes it; nobody counts by it.
create table if not exists public.event_details (
  event_id text primary key check (event_id ~ '^[0-9a-fA-F]{32}$'),
  title text not null check (title <> '' and octet_length(title) <= 400),
  gates_open_at timestamptz,
  kick_off_at timestamptz,
  -- An IANA name; null: the venue's.
  time_zone text check (time_zone <> ''),
  constraint event_details_kick_off_after_gates check (kick_off_at > gates_open_at)
);
