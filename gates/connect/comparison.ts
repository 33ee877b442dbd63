import { setTimeout as pause } from 'node:timers/promises';
import { GatesError, stopped } from '../cli/errors.ts';
import { type Connection, ticketsQuery } from './connection.ts';
import { at, type Databases, type Place } from './databases.ts';
import type { FoundTable } from './find-tables.ts';
import { query } from './sql.ts';

const ASK_EVERY_MS = 50;
/** A subscription that has not brought what was committed within this time is reported as behind. */
const PATIENCE_MS = 30_000;
/** Tickets that change all the time are looked at so often. */
const ROUNDS = 10;

/** A ticket as text: 'valid, not entered, sector 4'; `undefined` where it is missing. */
interface Difference {
  readonly key: string;
  readonly there: string | undefined;
  readonly here: string | undefined;
}

export interface Comparison {
  readonly tickets: number;
  readonly entered: number;
  readonly differences: readonly Difference[];
}

/**
 * Compares the tickets of the source with ours while both change. A ticket differs where it was the same at the source before
 * and after it was read here, after all that was committed before had come here; and that twice in a row.
 *
 * @throws GatesError where the subscription is behind.
 */
export async function compareTickets(
  { owner, reader, here }: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<Comparison> {
  const { name, settings } = connection;
  const source = ticketsQuery(settings, tables);
  const ours = `select id as key, is_valid_ticket, entrou, setor from public.tickets where event_id = '${settings.eventId}'`;
  let known = new Map<string, string>();
  for (let round = 1; ; round += 1) {
    const before = await readTickets(owner, source);
    await waitForPosition(reader, name, stop);
    const found = await readTickets(here, ours);
    const after = await readTickets(owner, source);
    const keys = [...new Set([...before.keys(), ...found.keys()])];
    const differing = keys.filter(
      (key) => before.get(key) !== found.get(key) && after.get(key) !== found.get(key),
    );
    const settled = differing.filter((key) => before.get(key) === after.get(key));
    const differences = settled.map((key) => ({ key, there: before.get(key), here: found.get(key) }));
    const now = new Map(differences.map((one) => [one.key, `${one.there} ${one.here}`]));
    const isSettled =
      differing.length === settled.length && [...now].every(([key, both]) => known.get(key) === both);
    if (isSettled || round === ROUNDS) {
      const entered = [...after.values()].filter((text) => text.includes(', entered')).length;
      return { tickets: after.size, entered, differences };
    }
    known = now;
  }
}

async function readTickets(place: Place, tickets: string): Promise<Map<string, string>> {
  const rows = await at(place, (sql) =>
    query<{ key: string; isValid: boolean; entered: boolean; setor: string }>(
      sql,
      `select key, is_valid_ticket as "isValid", entrou as entered, setor from (${tickets}) t`,
    ),
  );
  return new Map(
    rows.map(({ key, isValid, entered, setor }) => [
      key,
      `${isValid ? 'valid' : 'not valid'}, ${entered ? 'entered' : 'not entered'}, sector ${setor}`,
    ]),
  );
}

/** Resolves once all that was committed at the source before is committed here. */
async function waitForPosition(reader: Place, name: string, stop: AbortSignal): Promise<void> {
  await at(reader, async (sql) => {
    // The commit of this message comes after those that were seen, and is flushed.
    const [mark] = await sql<
      [{ lsn: string }]
    >`select pg_logical_emit_message(true, 'triagem', '')::text as lsn`;
    const begunMs = performance.now();
    for (;;) {
      const [slot] = await sql<{ hasIt: boolean }[]>`
        select confirmed_flush_lsn >= ${mark.lsn}::pg_lsn as "hasIt" from pg_replication_slots where slot_name = ${name}`;
      if (slot?.hasIt === true) return;
      if (stop.aborted) throw stopped();
      if (performance.now() > begunMs + PATIENCE_MS)
        throw new GatesError(
          `The subscription ${name} is behind its source, and cannot be compared: the board's /readyz and the log of its PostgreSQL have the reason.`,
        );
      await pause(ASK_EVERY_MS);
    }
  });
}
