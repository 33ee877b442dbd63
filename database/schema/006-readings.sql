-- What gates said of tickets that are not there: it is kept until they come, and then applied. Tables of our own, as
-- ticket_times is; listen bounds them.
create table if not exists public.kept_readings (
  event_id text not null check (event_id ~ '^[0-9a-fA-F]{32}$'),
  id text not null check (octet_length(id) <= 128),
  -- When it was so; null: the message does not say.
  at timestamptz,
  -- When it came, by the clock of the process that took it, which may be wrong; and by the database's.
  received_at timestamptz not null,
  kept_at timestamptz not null default now(),
  -- Null: the message says nothing of it.
  is_valid_ticket boolean,
  entrou boolean,
  setor text check (octet_length(setor) <= 32),
  -- The gate that the message names, else the address it came from.
  gate text not null check (octet_length(gate) <= 64),
  reason text not null check (reason <> '' and octet_length(reason) <= 32),
  constraint kept_readings_once unique nulls not distinct (event_id, id, at)
);

-- How many messages were refused in each minute of the last hour.
create table if not exists public.refused_readings (
  event_id text not null check (event_id ~ '^[0-9a-fA-F]{32}$'),
  minute timestamptz not null,
  reason text not null check (reason <> '' and octet_length(reason) <= 32),
  count bigint not null,
  primary key (event_id, minute, reason)
);

-- What messages said whose time was ahead of listen's clock, and which were applied: sent again, they change nothing.
alter table public.ticket_times add column if not exists ahead text[] not null default '{}';
