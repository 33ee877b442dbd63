import type { Venue } from '../../domain/venue.ts';
import type { EmbeddedDatabase } from '../../server/database/embedded/embedded-database.ts';
import { withConnection } from '../../server/database/with-connection.ts';
import { RecordError, toRecordError } from '../../server/flow/record/record-fault.ts';
import { RECORD_LIMITS } from '../../server/flow/record/record-limits.ts';
import { RecordSession } from '../../server/flow/record/record-session.ts';
import { earlierMatchIds, type InventedMatch, inventMatch } from './earlier-matches.ts';

type DemoDatabase = Pick<EmbeddedDatabase, 'ownerUrl' | 'recordUrl' | 'dataDir'>;

const ROWS_AT_ONCE = 2_000;

interface RecordOptions {
  readonly eventId: string;
  readonly venue: Venue;
  /** Ends it between two matches, with whatever its reason is. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * The record of a demo begins afresh: that of the demo's own event goes, and so do invented matches of another venue. The
 * earlier matches of this one are added where they are not there yet.
 */
export async function prepareRecord(database: DemoDatabase, options: RecordOptions): Promise<void> {
  const { venue, signal, say } = options;
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

async function clearRecord(
  { ownerUrl }: DemoDatabase,
  { eventId, venue }: Pick<RecordOptions, 'eventId' | 'venue'>,
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
