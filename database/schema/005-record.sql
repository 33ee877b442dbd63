-- What flowed through the gates: the minutes of an event and its log (docs/record.md). Tables of our own in a schema of
-- their own. The role that writes them may add rows and read them, nothing else; no gate and no observer has any right.
create schema if not exists triagem;

create table if not exists triagem.minutes (
  event_id text not null check (event_id ~ '^[0-9a-fA-F]{32}$'),
  source text not null check (source in ('live', 'import', 'simulated')),
  -- The log's row that says where the minutes of an import come from; empty for those that were watched.
  import_id text not null default '' check ((import_id <> '') = (source = 'import')),
  minute timestamptz not null check (extract(epoch from minute)::bigint % 60 = 0),
  -- What names the row of the venue; empty: all codes that are no row's.
  sector text not null check (octet_length(sector) <= 128),
  admitted int not null,
  net int not null,
  entered int,
  reverted int,
  moved int,
  lots int not null,
  valid int not null,
  primary key (event_id, source, import_id, minute, sector)
);

create table if not exists triagem.log (
  event_id text not null check (event_id ~ '^[0-9a-fA-F]{32}$'),
  seq bigint not null check (seq > 0),
  id text not null check (id <> '' and octet_length(id) <= 200),
  at timestamptz not null,
  source text not null check (source in ('live', 'import', 'simulated')),
  kind text not null check (kind <> '' and octet_length(kind) <= 64),
  -- Who said it, by the name that was given; null: the server, or the gates tool.
  by_name text check (octet_length(by_name) <= 1000),
  sector text check (octet_length(sector) <= 128),
  data jsonb not null,
  figures jsonb not null,
  -- SHA-256 of the row before.
  previous text not null check (previous ~ '^[0-9a-f]{64}$' or seq = 1 and previous = ''),
  primary key (event_id, seq),
  unique (event_id, id)
);
