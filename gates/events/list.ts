import { readArguments, type Command } from '../cli/command.ts';
import { alignColumns } from '../cli/align-columns.ts';
import { reportBoards } from './event.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { venueOf } from '../import/venue.ts';
import { localZoneOf } from './event-details.ts';
import { type EventSummary, readSummaries } from './event-summary.ts';
import { formatEventTime } from './event-time.ts';

const HEADER = ['id', 'tickets', 'valid', 'entered', 'last change', 'kick-off', 'time zone', 'title'];

export const listEvents: Command = {
  help: `Usage: npm run -s gates -- event list [--json]

Every event that is named or has tickets: its tickets, how many are valid, how many have entered, when it was last that a
ticket that is in was written, kick-off, the time zone of both times, and title. The first column marks what the running
board shows (*).

When a ticket was written is known where PostgreSQL keeps the times of commits, as the embedded one does; elsewhere with
track_commit_timestamp = on, for what is written from then on. After "restore" it is the time of that.

  --json  as JSON: an array of objects, times in UTC, null for what is not known
`,
  async run(args, env) {
    const { values } = readArguments(args, { json: { type: 'boolean', default: false } });
    const stop = stopSignal();
    const target = await findTarget(env);
    reportBoards(target);
    const events = await withSession(target, stop, ({ sql }) => readSummaries(sql));
    const shown = new Set(target.boards.map(({ eventId }) => eventId));
    if (values.json) {
      const rows = events.map((event) => Object.assign({ isShown: shown.has(event.eventId) }, event));
      process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
      return 0;
    }
    if (events.length === 0) {
      process.stderr.write('There is no event yet: make one with "event create".\n');
      return 0;
    }
    const zone = localZoneOf(undefined, env, await venueOf(env, target));
    const [header, ...rows] = alignColumns([HEADER, ...events.map((event) => cells(event, zone))], [1, 2, 3]);
    process.stdout.write(`  ${header}\n`);
    for (const [index, row] of rows.entries()) {
      process.stdout.write(`${shown.has(events[index]?.eventId ?? '') ? '*' : ' '} ${row}\n`);
    }
    return 0;
  },
};

function cells(event: EventSummary, localZone: string): string[] {
  const { eventId, tickets, valid, entered, lastEntryAt, kickOffAt, timeZone, title } = event;
  const zone = timeZone ?? localZone;
  const at = (time: Date | null): string => (time === null ? '-' : formatEventTime(time, zone).slice(0, 16));
  const counts = [tickets, valid, entered].map(String);
  return [eventId, ...counts, at(lastEntryAt), at(kickOffAt), zone, title ?? '-'];
}
