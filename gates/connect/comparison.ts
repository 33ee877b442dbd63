import { setTimeout as pause } from 'node:timers/promises';
import {
  compareTickets,
  selectTickets,
  type TicketComparison,
  type TicketRow,
  type TicketTexts,
  ticketTexts,
} from '../../domain/compare-tickets.ts';
import { GatesError, stopped } from '../cli/errors.ts';
import { type Connection, ticketsQuery } from './connection.ts';
import { at, type Databases, type Place } from './databases.ts';
import type { FoundTable } from './find-tables.ts';
import { query, quoteLiteral } from './sql.ts';

const ASK_EVERY_MS = 50;
/** A subscription that has not brought what was committed within this time is reported as behind. */
const PATIENCE_MS = 30_000;

/** Compares the tickets of the source with ours. @throws GatesError where the subscription is behind. */
export function compareWithSource(
  { owner, reader, here }: Databases,
  { name, settings }: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<TicketComparison> {
  const ours = `select id as key, is_valid_ticket, entrou, setor from public.tickets where event_id = ${quoteLiteral(settings.eventId)}`;
  return compareTickets({
    readThere: () => readTickets(owner, ticketsQuery(settings, tables)),
    readHere: () => readTickets(here, ours),
    untilHere: () => waitForPosition(reader, name, stop),
  });
}

async function readTickets(place: Place, tickets: string): Promise<TicketTexts> {
  return ticketTexts(await at(place, (sql) => query<TicketRow>(sql, selectTickets(tickets))));
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
