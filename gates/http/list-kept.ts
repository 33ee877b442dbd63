import type postgres from 'postgres';
import { readArguments, type Command } from '../cli/command.ts';
import { alignColumns } from '../cli/align-columns.ts';
import { quoteValue } from '../cli/errors.ts';
import { readEvent, reportBoards } from '../events/event.ts';
import { localZoneOf } from '../events/event-details.ts';
import { formatEventTime } from '../events/event-time.ts';
import { type KeptReason, KEPT_WORDS } from './request-outcome.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { venueOf } from '../import/venue.ts';

interface KeptRow {
  readonly eventId: string;
  readonly id: string;
  /** `at` of the reading, else its arrival: Unix milliseconds. */
  readonly atMs: number;
  readonly gate: string;
  readonly reason: KeptReason;
}

export const kept: Command = {
  help: `Usage: npm run -s gates -- kept [--event ID]

The readings that "listen" keeps, as their tickets are not here: when it was so (else when it came), the id, the gate, why.
The first come first. Each is applied when its ticket is imported, in whatever way, if it is the newest of it by then.

  --event ID  of this event only (default: of all, each with its event)
`,
  async run(args, env) {
    const { values } = readArguments(args, { event: { type: 'string' } });
    const onlyEvent = values.event === undefined ? undefined : readEvent(values.event, {});
    const stop = stopSignal();
    const target = await findTarget(env);
    reportBoards(target);
    const rows = await withSession(target, stop, ({ sql }) => readKept(sql, onlyEvent));
    if (rows.length === 0) {
      process.stderr.write('Nothing waits for its ticket.\n');
      return 0;
    }
    const zone = localZoneOf(undefined, env, await venueOf(env, target));
    const header = ['time', 'id', 'gate', 'why'];
    const cells = rows.map(({ atMs, id, gate, reason, eventId }) => [
      formatEventTime(new Date(atMs), zone),
      // Quotes make a trailing blank visible.
      quoteValue(id),
      gate,
      onlyEvent === undefined ? `${KEPT_WORDS[reason]} (event ${eventId})` : KEPT_WORDS[reason],
    ]);
    process.stdout.write(`${alignColumns([header, ...cells]).join('\n')}\n`);
    return 0;
  },
};

async function readKept(sql: postgres.Sql, onlyEvent: string | undefined): Promise<readonly KeptRow[]> {
  return sql<KeptRow[]>`
    select event_id as "eventId", id, (extract(epoch from coalesce(at, received_at)) * 1000)::float8 as "atMs", gate, reason
    from public.kept_readings
    ${onlyEvent === undefined ? sql`` : sql`where event_id = ${onlyEvent}`}
    order by kept_at, at, id`;
}
