import { quoteLiteral } from '../../database/with-connection.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { readDigests, tablesOf } from '../../database/row-digests.ts';
import { type Comparison, compareChanging, type Texts } from '../../domain/compare-changing.ts';
import { GatesError, stopped } from '../cli/errors.ts';
import { type Connection, ticketsQuery } from './connection.ts';
import { at, type Databases, type Place } from './databases.ts';
import type { FoundTable } from './find-tables.ts';
import { query } from './sql.ts';

const ASK_EVERY_MS = 50;
/** A subscription that has not brought what was committed within this time is reported as behind. */
const PATIENCE_MS = 30_000;

/** One row of a query of tickets. */
interface Row {
  readonly key: string;
  readonly isValid: boolean;
  readonly entered: boolean;
  readonly setor: string;
}

/** Compares the tickets of the source with ours. @throws GatesError where the subscription is behind. */
export function compareTickets(
  { owner, reader, here }: Databases,
  { name, settings }: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<Comparison> {
  const ours = `select id as key, is_valid_ticket, entrou, setor from public.tickets where event_id = ${quoteLiteral(settings.eventId)}`;
  return compareChanging({
    readThere: () => readTickets(owner, ticketsQuery(settings, tables)),
    readHere: () => readTickets(here, ours),
    untilHere: () => waitForPosition(reader, name, stop),
  });
}

/** Returns the tables whose rows are others here, whether tickets follow from that or not. @throws GatesError as above. */
export async function findDifferentCopies(
  { reader, here }: Databases,
  { name }: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<string[]> {
  const compared = tables.map((table) => ({
    name: `${table.schema}.${table.name}`,
    columns: table.columns.map((column) => column.name),
  }));
  const read = (place: Place): Promise<Texts> => at(place, (sql) => readDigests(sql, compared));
  const { differences } = await compareChanging({
    readThere: () => read(reader),
    readHere: () => read(here),
    untilHere: () => waitForPosition(reader, name, stop),
  });
  return tablesOf(differences.map(({ key }) => key));
}

/** Returns the tickets of a query of `key`, `is_valid_ticket`, `entrou` and `setor`, each as a text for the operator. */
async function readTickets(place: Place, tickets: string): Promise<Texts> {
  const text = `select key, is_valid_ticket as "isValid", entrou as entered, setor from (${tickets}) t`;
  const rows = await at(place, (sql) => query<Row>(sql, text));
  return new Map(
    rows.map(({ key, isValid, entered, setor }) => [
      key,
      `${isValid ? 'valid' : 'not valid'}, ${entered ? 'entered' : 'not entered'}, sector ${setor}`,
    ]),
  );
}

/** Counts the tickets that `compareTickets` read as entered. */
export function countEntered(tickets: Texts): number {
  return [...tickets.values()].filter((text) => text.includes(', entered')).length;
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
      const [slot] = await sql<{ hasIt: boolean; isAhead: boolean }[]>`
        select confirmed_flush_lsn >= ${mark.lsn}::pg_lsn as "hasIt", confirmed_flush_lsn > pg_current_wal_flush_lsn() as "isAhead"
        from pg_replication_slots where slot_name = ${name}`;
      if (slot?.isAhead === true)
        throw new GatesError(
          `The source of the subscription ${name} has gone back to an earlier state of itself, and what it commits now is not sent: "compare --repair" copies its tables anew.`,
        );
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
