-- The five observed columns are all a change needs to say about itself, before and after.
create unique index if not exists tickets_observed
  on public.tickets (event_id, id, is_valid_ticket, entrou, setor);

alter table public.tickets replica identity using index tickets_observed;
