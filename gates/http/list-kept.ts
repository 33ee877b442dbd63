import type postgres from 'postgres';
import { readArguments, type Command } from '../cli/command.ts';
import { printable, quoteValue } from '../cli/errors.ts';
import { readEvent, sayBoards } from '../events/event.ts';
import { localZoneOf } from '../events/event-details.ts';
import { formatEventTime } from '../events/event-time.ts';
import { type KeptReason, KEPT_WORDS } from './request-outcome.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { venueOf } from '../import/venue.ts';

/** A reading that waits for its ticket, as it is shown. */
interface KeptRow {
  readonly eventId: string;
  readonly id: string;
  /** When it was so, else when it came: milliseconds since 1970. */
  readonly atMs: number;
  readonly gate: string;
  readonly reason: KeptReason;
}

/** What "listen" keeps until its tickets come. */
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
    sayBoards(target);
    const rows = await withSession(target, stop, ({ sql }) => readKept(sql, onlyEvent));
    if (rows.length === 0) {
      process.stderr.write('Nothing waits for its ticket.\n');
      return 0;
    }
    const zone = localZoneOf(undefined, env, await venueOf(env, target));
    const header = ['time', 'id', 'gate', 'why'];
    const cells = rows.map(({ atMs, id, gate, reason, eventId }) => [
      formatEventTime(new Date(atMs), zone),
      // A blank at its end shows.
      quoteValue(id),
      gate,
      onlyEvent === undefined ? `${KEPT_WORDS[reason]} (event ${eventId})` : KEPT_WORDS[reason],
    ]);
    process.stdout.write(table([header, ...cells]));
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

function table(rows: readonly string[][]): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = [0, 1, 2].map((column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  return shown
    .map((row) => `${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}
