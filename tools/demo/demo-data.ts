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
  /** Ends it between two matches, with whatever its reason is. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * A demo begins afresh: what its own event has of tickets and record goes, and so do invented matches of another venue.
 * The earlier matches of this one are added where they are not there yet.
 */
export async function prepareDemo(database: DemoDatabase, options: PrepareOptions): Promise<void> {
  const { venue, signal, say } = options;
  await deleteTickets(database, options);
  await clearRecord(database, options);
  const ids = earlierMatchIds(venue);
  const there = await readRecorded(database);
  if (ids.every((id) => there.has(id))) return;
  say('Inventing twelve earlier matches...');
  for (const [place, eventId] of ids.entries()) {
    signal.throwIfAborted();
    if (!there.has(eventId)) await addMatch(database, venue, inventMatch(venue, place, Date.now()));
  }
}

async function addMatch(
  { recordUrl, dataDir }: DemoDatabase,
  venue: Venue,
  { eventId, minutes, times }: InventedMatch,
): Promise<void> {
  const place = { dataDir };
  const codes = venue.sectors.map(({ code }) => code);
  const session = new RecordSession({
    url: recordUrl,
    place,
    eventId,
    source: 'simulated',
    codes,
    limits: RECORD_LIMITS,
  });
  try {
    await session.check();
    if (!(await session.lock())) throw new RecordError('Another process writes the record of the demo');
    const atOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / (codes.length + 1)));
    for (let from = 0; from < minutes.length; from += atOnce) {
      await session.addMinutes(minutes.slice(from, from + atOnce));
    }
    // It comes last: a match that has one is whole.
    await session.addEntry(times);
  } catch (error) {
    throw toRecordError(error, place);
  } finally {
    await session.end();
  }
}

/** The events that have a log. */
async function readRecorded({ recordUrl }: DemoDatabase): Promise<ReadonlySet<string>> {
  return withConnection(recordUrl, async (sql) => {
    const rows = await sql<{ id: string }[]>`select distinct event_id as id from triagem.log`;
    return new Set(rows.map(({ id }) => id));
  });
}

/**
 * Those of the demo before, as the simulation would: but a server that saw it would record that all were taken back. An
 * event with others is left alone, and the simulation says so.
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
      // An earlier match without a log is one that was not added whole.
      await transaction`
        delete from triagem.minutes m where event_id = ${eventId}
          or source = 'simulated' and not exists (select from triagem.log l where l.event_id = m.event_id)`;
      // Those of the demo before: the match has none until its gates open.
      await transaction`
        update public.event_details set gates_open_at = null, kick_off_at = null where event_id = ${eventId}`;
    });
  });
}
