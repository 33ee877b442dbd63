import type { Scope } from '../benchmark.ts';
import type { BenchDatabase } from '../support/database.ts';

/** One admission moves one counter, in the gate's own transaction. The rows are locked until it commits. */
const COUNTER = `
  create table sector_counters (setor text primary key, admitted bigint not null) with (fillfactor = 50);
  create function move_counter(sector text, by int) returns void language plpgsql as $$
  declare now_admitted bigint;
  begin
    insert into sector_counters values (sector, by)
    on conflict (setor) do update set admitted = sector_counters.admitted + by
    returning admitted into now_admitted;
    perform pg_notify('sector_counters', json_build_array(now_admitted, sector)::text);
  end $$;
  create function tell_of_tickets() returns trigger language plpgsql security definer as $$
  begin
    if tg_op <> 'INSERT' and old.entrou then perform move_counter(old.setor, -1); end if;
    if tg_op <> 'DELETE' and new.entrou then perform move_counter(new.setor, 1); end if;
    return null;
  end $$;
  create trigger tell_of_tickets after insert or delete or update of entrou, setor on tickets
    for each row execute function tell_of_tickets();
  insert into sector_counters select setor, count(*) from tickets where entrou group by setor`;

const NOTIFY = `
  create function tell_of_tickets() returns trigger language plpgsql as $$
  begin
    notify tickets_changed;
    return null;
  end $$;
  create trigger tell_of_tickets after insert or update or delete or truncate on tickets
    for each statement execute function tell_of_tickets()`;

const REMOVE = `
  drop function if exists tell_of_tickets cascade;
  drop function if exists move_counter;
  drop table if exists sector_counters`;

/** What the gate system's database has to have for them, for so long as this scope is. */
export async function addTrigger(
  { stops }: Scope,
  { admin }: BenchDatabase,
  which: 'counter' | 'notify',
): Promise<void> {
  stops.push(() => admin.unsafe(REMOVE));
  await admin.unsafe(which === 'counter' ? COUNTER : NOTIFY);
}
