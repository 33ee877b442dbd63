-- When each field of a ticket was said to be so that was applied last: `at` is of entrou. `ahead` holds what was said that
-- these times do not tell to be known: of the same instant, or of one ahead of listen's clock. Sent again, it changes nothing.
alter table public.ticket_times alter column at drop not null;
alter table public.ticket_times
  add column if not exists valid_at timestamptz,
  add column if not exists setor_at timestamptz;
-- Until now `at` was of all fields.
update public.ticket_times set valid_at = at, setor_at = at where valid_at is null and setor_at is null;
