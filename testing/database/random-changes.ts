import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { newEventId, type TestDatabase } from './database.ts';

/** Those of the default venue, and some that are no sector's. */
const CODES = [...SECTOR_CODES, '10', '04', ' 4', ''];

/** Where tickets go to, and come back from. */
const OTHER_EVENT = newEventId();

/** Changes of every kind, at random, on tickets that all writers share: each a commit, all in one call. */
export async function writeAtRandom(
  database: Pick<TestDatabase, 'gates'>,
  changes: number,
  { pauseMs = 3, eventId = DEFAULT_EVENT_ID } = {},
): Promise<void> {
  const codes = CODES.map((code) => `'${code}'`).join();
  await database.gates.unsafe(`
    do $$
    declare
      ticket text; kind float; code text;
      events text[] := array['${eventId}', '${OTHER_EVENT}'];
    begin
      for change in 1..${changes} loop
        ticket := 't' || floor(random() * 300);
        kind := random();
        code := (array[${codes}])[1 + floor(random() * ${CODES.length})];
        if random() < 0.5 then events := array[events[2], events[1]]; end if;
        begin
          if kind < 0.3 then
            insert into tickets values ('${eventId}', ticket, random() < 0.9, random() < 0.5, code)
            on conflict do nothing;
          elsif kind < 0.75 then
            update tickets set entrou = kind < 0.6 where id = ticket;
          elsif kind < 0.85 then
            update tickets set setor = code, is_valid_ticket = not is_valid_ticket where id = ticket;
          elsif kind < 0.92 then
            update tickets set event_id = events[2] where event_id = events[1] and id = ticket;
          else
            delete from tickets where id = ticket and event_id = events[1];
          end if;
        exception when unique_violation or deadlock_detected then
        end;
        commit;
        perform pg_sleep(${pauseMs / 1_000});
      end loop;
    end $$`);
}
