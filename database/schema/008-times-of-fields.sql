-- When each field of a ticket was said to be so that was applied last: `at` is of entrou. `ahead` holds what was said that
-- these times do not tell to be known: of the same instant, or of one ahead of listen's clock. Sent again, it changes nothing.
alter table public.ticket_times alter column at drop not null;
-- This file may be applied again, when the times of a ticket that has one of entrou alone must stay so.
do $$
begin
  if not exists (
    select from pg_attribute
    where attrelid = 'public.ticket_times'::regclass and attname = 'valid_at' and not attisdropped
  ) then
    alter table public.ticket_times add column valid_at timestamptz, add column setor_at timestamptz;
    -- Until now `at` was of all fields.
    update public.ticket_times set valid_at = at, setor_at = at;
  end if;
end $$;
