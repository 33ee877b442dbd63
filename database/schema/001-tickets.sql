-- Created only if missing: a gate system may bring its own tables, with columns of its own besides these.
create table if not exists public.events (
  id text primary key check (id ~ '^[0-9a-fA-F]{32}$')
);

create table if not exists public.sectors (
  event_id text not null,
  code text not null,
  data jsonb not null default '{}',
  primary key (event_id, code)
);

create table if not exists public.tickets (
  event_id text not null,
  id text not null check (octet_length(id) <= 128),
  is_valid_ticket boolean not null,
  entrou boolean not null,
  setor text not null check (octet_length(setor) <= 32),
  primary key (event_id, id)
);
