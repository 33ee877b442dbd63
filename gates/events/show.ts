import { seeOneInstant } from '../backup/backup-contents.ts';
import { permittedSectors } from '../../domain/permitted-capacity.ts';
import { knownCodes, type Venue } from '../../domain/venue.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { GatesError, printable, quoteValue } from '../cli/errors.ts';
import { locateEvent } from './event.ts';
import { describeOverfull, overfullSectors } from '../import/importing/overfull.ts';
import { withSession } from '../cli/session.ts';
import { reportOtherVenue, venueOf } from '../import/venue.ts';
import { type CodeCounts, countCodes, describeTickets } from './code-counts.ts';
import { describeTimes, localZoneOf } from './event-details.ts';
import { type EventSummary, readSummaries } from './event-summary.ts';
import { formatEventTime } from './event-time.ts';

/** Limits the unknown codes that are listed one by one. */
const MAX_CODES = 50;

export const showEvent: Command = {
  help: `Usage: npm run -s gates -- event show [--event ID] [--json]

Title and times of an event, how many tickets it has, how many are valid and have entered, by sector of the venue in the
order of the screen; then the codes that the venue does not know, which the board counts as others, and the sectors with
more valid tickets than they are permitted to hold. The venue is that of VENUE_FILE, else the one of the running board;
where VENUE_FILE names another than the board displays, a message says so.

  --event ID  this event (default: EVENT_ID, else the event of the running board)
  --json      as JSON, times in UTC
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      event: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const { stop, target, event: chosen } = await locateEvent(values.event, env);
    const { eventId } = chosen;
    const venue = await venueOf(env, target);
    await reportOtherVenue(env, target, eventId, venue);
    const { event, codes, overfull } = await withSession(target, stop, (session) =>
      session.transaction('', async (sql) => {
        // Summary and sectors must be of one instant.
        await seeOneInstant(sql);
        const [summary] = await readSummaries(sql, eventId);
        if (!summary) throw new GatesError(`There is no event ${eventId}: "event list" lists them.`);
        const counted = await countCodes(sql, eventId);
        const validOf = new Map(counted.map(({ setor, valid }) => [setor, valid]));
        return {
          event: summary,
          codes: counted,
          overfull: await overfullSectors(sql, eventId, venue, validOf),
        };
      }),
    );
    const sectors = permittedSectors(venue).map(({ code, name, codes: own, capacity = null }) =>
      Object.assign({ code, name, capacity }, sum(codes.filter(({ setor }) => own.includes(setor)))),
    );
    const known = knownCodes(venue);
    const others = codes.filter(({ setor }) => !known.has(setor));
    if (values.json) {
      const isShown = target.boards.some((board) => board.eventId === eventId);
      process.stdout.write(`${JSON.stringify({ ...event, isShown, sectors, others }, undefined, 2)}\n`);
      return 0;
    }
    process.stdout.write(describe(event, localZoneOf(event.timeZone, env, venue)));
    process.stdout.write(table(sectors, others, venue));
    if (overfull.length > 0) process.stdout.write(`\n${overfull.map(describeOverfull).join('\n')}\n`);
    return 0;
  },
};

function sum(codes: readonly CodeCounts[]): Omit<CodeCounts, 'setor'> {
  const add = (key: 'tickets' | 'valid' | 'entered'): number =>
    codes.reduce((all, code) => all + code[key], 0);
  return { tickets: add('tickets'), valid: add('valid'), entered: add('entered') };
}

function describe(event: EventSummary, zone: string): string {
  const { eventId, title, tickets, valid, entered, lastEntryAt } = event;
  const time = lastEntryAt === null ? 'not known' : `${formatEventTime(lastEntryAt, zone)} (${zone})`;
  const last = entered === 0 ? '' : `; last change of one that is in: ${time}`;
  return (
    `${title === null ? 'no title' : printable(title)}\n${eventId}\n${describeTimes({ ...event, title: '' }, zone)}\n` +
    `${describeTickets(tickets)}, ${valid} valid, ${entered} entered${last}\n\n`
  );
}

function table(
  sectors: readonly (Omit<CodeCounts, 'setor'> & { readonly code: string; readonly name: string })[],
  others: readonly CodeCounts[],
  venue: Venue,
): string {
  const rows = [
    ['', 'tickets', 'valid', 'entered'],
    ...sectors.map(({ name, ...counts }) => row(name, counts)),
    ...(others.length > 0 ? [row('others', sum(others))] : []),
  ];
  const nameWidth = Math.max(...rows.map(([name = '']) => name.length));
  const lines = rows.map(
    ([name = '', ...counts]) =>
      `${name.padEnd(nameWidth)}${counts.map((count) => count.padStart(9)).join('')}`,
  );
  if (others.length > 0) {
    lines.push(
      '',
      `Codes that the venue (${venue.sectors.length} sectors) does not know; they count in the total only:`,
    );
    for (const { setor, ...counts } of others.slice(0, MAX_CODES)) {
      lines.push(`  ${quoteValue(setor)}: ${describeTickets(counts.tickets)}, ${counts.entered} entered`);
    }
    if (others.length > MAX_CODES) lines.push(`  and ${others.length - MAX_CODES} more codes`);
  }
  return `${lines.join('\n')}\n`;
}

function row(name: string, { tickets, valid, entered }: Omit<CodeCounts, 'setor'>): string[] {
  return [printable(name), ...[tickets, valid, entered].map(String)];
}
