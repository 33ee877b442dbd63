import type postgres from 'postgres';
import {
  compareTickets,
  selectTickets,
  type TicketRow,
  ticketTexts,
  type TicketTexts,
} from '../../../domain/compare-tickets.ts';
import type { ConnectedTickets } from '../../../domain/connection-marks.ts';
import { errorMessage } from '../../../database/setup-error.ts';
import type { SourceWatch } from './source-watch.ts';
import type { Subscription } from './subscriptions.ts';

/** Tickets that differ are compared again this often: somebody mends them. */
const AGAIN_MS = 5_000;

/** Reads the tickets here of a connection, and by which query they are read at the source. */
export type ReadTickets = (
  name: string,
) => Promise<{ readonly query: string; readonly tickets: TicketTexts }>;

const NOT_COMPARED = 'its tickets are being compared with their source';

/**
 * Compares the tickets that `gates -- connect` brings with their source, once in each session with our database. Before it, that
 * database may have gone back to an earlier state, as a cold copy that is put back, or a standby that lacked the last commits:
 * the source does not send again what was confirmed to it, and every later position looks right.
 */
export class SourceComparison {
  /** By subscription, what was found last; `undefined`: all tickets are the same. */
  readonly #found = new Map<number, string | undefined>();
  #comparedAtMs = -Infinity;

  /** Another session with our database begins. */
  begin(): void {
    this.#found.clear();
    this.#comparedAtMs = -Infinity;
  }

  /** Why the tickets of a subscription may not be those of their source; `undefined`: they are. */
  faultOf({ id, copies }: Subscription): string | undefined {
    if (copies.length === 0 || (this.#found.has(id) && this.#found.get(id) === undefined)) return undefined;
    return this.#found.get(id) ?? NOT_COMPARED;
  }

  /** Compares them where that is due. Never rejects: where they cannot be compared now, `faultOf` has the reason. */
  async compare(subscription: Subscription, source: SourceWatch, readHere: ReadTickets): Promise<void> {
    const { id, name, slot } = subscription;
    if (slot === null || this.faultOf(subscription) === undefined) return;
    if (performance.now() < this.#comparedAtMs + AGAIN_MS) return;
    try {
      this.#found.set(id, await findDifference(name, slot, source, readHere));
      this.#comparedAtMs = performance.now();
    } catch (error) {
      this.#found.set(id, `its tickets cannot be compared with their source: ${errorMessage(error)}`);
    }
  }
}

/** Returns what is wrong with the tickets; undefined: they are those of the source. */
async function findDifference(
  name: string,
  slot: string,
  source: SourceWatch,
  readHere: ReadTickets,
): Promise<string | undefined> {
  const { query } = await readHere(name);
  const { differences } = await compareTickets({
    readThere: () =>
      source.read(async (sql) => ticketTexts(await sql.unsafe<TicketRow[]>(selectTickets(query)))),
    readHere: () => readHere(name).then(({ tickets }) => tickets),
    untilHere: () => source.untilConfirmed(slot),
  });
  // What the source does not have came another way.
  const missing = differences.filter(({ there }) => there !== undefined).length;
  if (missing === 0) return undefined;
  const what =
    missing === 1
      ? '1 of its tickets is not here as it is'
      : `${missing} of its tickets are not here as they are`;
  return `${what} at the source, as where this database was put back to an earlier copy, or a standby took over that lacked them: "npm run -s gates -- compare --repair" mends that`;
}

/** Returns a reader of the tickets that a connection brings, by the name of its subscription. */
export function readConnected(sql: postgres.Sql): ReadTickets {
  return async (name) => {
    const [row] = await sql<{ comment: string }[]>`
      select obj_description(c.oid, 'pg_class') as comment from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${name} and c.relname = 'tickets' and c.relkind = 'v'`;
    if (!row) throw new Error(`there is no view of the tickets of ${name}`);
    const { eventId, query } = JSON.parse(row.comment) as ConnectedTickets;
    const rows = await sql<TicketRow[]>`
      select id as key, is_valid_ticket as "isValid", entrou as entered, setor from public.tickets
      where event_id = ${eventId}`;
    return { query, tickets: ticketTexts(rows) };
  };
}
