-- Each message of a ticket that is not there is kept as a row of its own, so that they are applied in the order in which
-- they came; only one that is sent again takes no room.
alter table public.kept_readings drop constraint if exists kept_readings_once;
-- A former version that ran since this file was applied (CHANGELOG.md) may have kept one several times.
delete from public.kept_readings earlier using public.kept_readings later
where earlier.event_id = later.event_id and earlier.id = later.id
  and (earlier.at, earlier.is_valid_ticket, earlier.entrou, earlier.setor)
    is not distinct from (later.at, later.is_valid_ticket, later.entrou, later.setor)
  and (earlier.kept_at, earlier.ctid) < (later.kept_at, later.ctid);
alter table public.kept_readings add constraint kept_readings_once
  unique nulls not distinct (event_id, id, at, is_valid_ticket, entrou, setor);
