import type { Venue } from '../../domain/venue.ts';
import type { EmbeddedDatabase } from '../../server/database/embedded/embedded-database.ts';
import { withConnection } from '../../server/database/with-connection.ts';
import { OperatorError } from '../../server/errors.ts';
import { RECORD_LIMITS } from '../../server/flow/record/record-limits.ts';
import { RecordSession } from '../../server/flow/record/record-session.ts';
import { earlierMatchIds, inventMatch } from './earlier-matches.ts';

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
  const codes = venue.sectors.map(({ code }) => code);
  let isSaid = false;
  for (const [place, eventId] of earlierMatchIds(venue).entries()) {
    signal.throwIfAborted();
    const session = new RecordSession({
      url: database.recordUrl,
      place: { dataDir: database.dataDir },
      eventId,
      source: 'simulated',
      codes,
      limits: RECORD_LIMITS,
    });
    try {
      await session.check();
      if (!(await session.lock())) throw new OperatorError('Another process writes the record of the demo.');
      // Its times come last: with them it is whole.
      if ((await session.readLog()).length > 0) continue;
      if (!isSaid) say('Inventing twelve earlier matches...');
      isSaid = true;
      const { minutes, times } = inventMatch(venue, place, Date.now());
      const atOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / (codes.length + 1)));
      for (let from = 0; from < minutes.length; from += atOnce) {
        await session.addMinutes(minutes.slice(from, from + atOnce));
      }
      await session.addEntry(times);
    } finally {
      await session.end();
    }
  }
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
