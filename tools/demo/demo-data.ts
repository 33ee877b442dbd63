import type { Venue } from '../../domain/venue.ts';
import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { withConnection } from '../../database/with-connection.ts';
import { RecordError, toRecordError } from '../../desk/record/record-fault.ts';
import { RECORD_LIMITS } from '../../desk/record/record-limits.ts';
import { RecordSession } from '../../desk/record/record-session.ts';
import { countSimulated, isSimulated } from '../../gates/simulator/simulated-id.ts';
import { earlierMatchIds, type InventedMatch, inventMatch } from './earlier-matches.ts';

type DemoDatabase = Pick<EmbeddedDatabase, 'ownerUrl' | 'gatesUrl' | 'recordUrl' | 'dataDir'>;

const ROWS_AT_ONCE = 2_000;

interface PrepareOptions {
  readonly eventId: string;
  readonly venue: Venue;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/**
 * Deletes tickets and record of the demo's own event, and invented matches of other venues. Adds the missing earlier
 * matches of this venue.
 */
export async function prepareDemo(database: DemoDatabase, options: PrepareOptions): Promise<void> {
  const { venue, signal, print } = options;
  await deleteTickets(database, options);
  await clearRecord(database, options);
  const ids = earlierMatchIds(venue);
  const there = await readRecorded(database);
  if (ids.every((id) => there.has(id))) return;
  print('Inventing twelve earlier matches...');
  for (const [index, eventId] of ids.entries()) {
    signal.throwIfAborted();
    if (!there.has(eventId)) await addMatch(database, venue, inventMatch(venue, index, Date.now()));
  }
}

async function addMatch(
  { recordUrl, dataDir }: DemoDatabase,
  venue: Venue,
  { eventId, minutes, times }: InventedMatch,
): Promise<void> {
  const place = { dataDir };
  const session = new RecordSession({
    url: recordUrl,
    place,
    eventId,
    source: 'simulated',
    rows: venue.sectors,
    limits: RECORD_LIMITS,
  });
  try {
    await session.check();
    if (!(await session.lock())) throw new RecordError('Another process writes the record of the demo');
    const atOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / (venue.sectors.length + 1)));
    for (let from = 0; from < minutes.length; from += atOnce) {
      await session.addMinutes(minutes.slice(from, from + atOnce));
    }
    // The log entry comes last: a match that has one is complete.
    await session.addEntry(times);
  } catch (error) {
    throw toRecordError(error, place);
  } finally {
    await session.end();
  }
}

/** Returns the events that have a log. */
async function readRecorded({ recordUrl }: DemoDatabase): Promise<ReadonlySet<string>> {
  return withConnection(recordUrl, async (sql) => {
    const rows = await sql<{ id: string }[]>`select distinct event_id as id from triagem.log`;
    return new Set(rows.map(({ id }) => id));
  });
}

/**
 * Deletes the tickets of the previous demo before a server runs, which would record the deletion as reverts. An event with
 * other tickets is left alone; the simulation reports it.
 */
async function deleteTickets(
  { gatesUrl }: DemoDatabase,
  { eventId }: Pick<PrepareOptions, 'eventId'>,
): Promise<void> {
  await withConnection(gatesUrl, async (sql) => {
    if ((await countSimulated(sql, eventId)).others > 0) return;
    await sql`delete from public.tickets where event_id = ${eventId} and ${isSimulated(sql, eventId)}`;
  });
}

async function clearRecord(
  { ownerUrl }: DemoDatabase,
  { eventId, venue }: Pick<PrepareOptions, 'eventId' | 'venue'>,
): Promise<void> {
  const kept = earlierMatchIds(venue).join();
  await withConnection(ownerUrl, async (sql) => {
    await sql.begin(async (transaction) => {
      await transaction`
        delete from triagem.log where event_id = ${eventId}
          or source = 'simulated' and event_id <> all (string_to_array(${kept}, ','))`;
      // An earlier match without a log is incomplete.
      await transaction`
        delete from triagem.minutes m where event_id = ${eventId}
          or source = 'simulated' and not exists (select from triagem.log l where l.event_id = m.event_id)`;
      // The match has no times until its gates open.
      await transaction`
        update public.event_details set gates_open_at = null, kick_off_at = null where event_id = ${eventId}`;
    });
  });
}
