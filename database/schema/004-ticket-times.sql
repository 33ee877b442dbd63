-- When the newest message about a ticket was sent that was applied, for messages that say it. A table of our own: a gate
-- system's tickets get no column, and the publication does not have it.
create table if not exists public.ticket_times (
  event_id text not null,
  id text not null check (octet_length(id) <= 128),
  at timestamptz not null,
  primary key (event_id, id)
);
