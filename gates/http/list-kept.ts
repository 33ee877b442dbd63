import { readArguments, type Command } from '../cli/command.ts';
import { alignColumns } from '../cli/align-columns.ts';
import { canAsk, confirm } from '../cli/confirm.ts';
import { quoteValue, UsageError } from '../cli/errors.ts';
import { readEvent, reportBoards } from '../events/event.ts';
import { localZoneOf } from '../events/event-details.ts';
import { formatEventTime } from '../events/event-time.ts';
import { discardKept, type KeptRow, listKept } from './kept-list.ts';
import { KEPT_WORDS } from './request-outcome.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { venueOf } from '../import/venue.ts';

export const kept: Command = {
  help: `Usage: npm run -s gates -- kept [--event ID] [--id TICKET]...
       npm run -s gates -- kept --discard --event ID [--id TICKET]... [--yes]

The readings that "listen" keeps, as their tickets are not here: when it was so (else when it came), in the time zone that
the header names (TIME_ZONE, else the venue's; the log of "listen" is in UTC), the id, what was read, the gate, why; and a
ticket whose id is the same but for upper and lower case. The first come first. Each is applied when its ticket is imported,
in whatever way, if it is the newest of it by then.

  --event ID   of this event only (default: of all, each with its event)
  --id TICKET  with this id only; may be given several times
  --discard    list them, ask, and delete exactly those: they are never applied
  --yes        do not ask; needed where nobody can be asked
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      event: { type: 'string' },
      id: { type: 'string', multiple: true },
      discard: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    });
    const onlyEvent = values.event === undefined ? undefined : readEvent(values.event, {});
    const { discard } = values;
    if (discard && onlyEvent === undefined)
      throw new UsageError('--discard needs --event: the event must be named.');
    const mustAsk = discard && !values.yes;
    if (mustAsk && !canAsk()) throw new UsageError('--discard needs --yes, as nobody is here to be asked.');
    const stop = stopSignal();
    const target = await findTarget(env);
    reportBoards(target);
    const zone = localZoneOf(undefined, env, await venueOf(env, target));
    return withSession(target, stop, async (session) => {
      const rows = await listKept(session.sql, onlyEvent, values.id);
      if (rows.length === 0) {
        process.stderr.write('Nothing waits for its ticket.\n');
        return 0;
      }
      process.stdout.write(describe(rows, zone, onlyEvent === undefined));
      if (!discard) return 0;
      const count = rows.length;
      const readings = count === 1 ? '1 reading' : `${count} readings`;
      if (mustAsk) await confirm(`Discard ${readings}, event ${onlyEvent}?`, stop);
      const discarded = await session.transaction('Nothing was discarded.', (sql) => discardKept(sql, rows));
      process.stdout.write(`${discarded} of ${readings} discarded\n`);
      if (discarded === count) return 0;
      process.stderr.write('The others were applied, or sent again, meanwhile.\n');
      return 1;
    });
  },
};

function describe(rows: readonly KeptRow[], zone: string, namesEvent: boolean): string {
  const header = [`time (${zone})`, 'id', 'reading', 'gate', 'why'];
  const cells = rows.map((row) => [
    formatEventTime(new Date(row.atMs), zone),
    // Quotes make a trailing blank visible.
    quoteValue(row.id),
    describeReading(row),
    row.gate,
    KEPT_WORDS[row.reason] +
      (row.similar === null ? '' : `, but one has ${quoteValue(row.similar)}`) +
      (namesEvent ? ` (event ${row.eventId})` : ''),
  ]);
  return `${alignColumns([header, ...cells]).join('\n')}\n`;
}

function describeReading({ entrou, isValid, setor }: KeptRow): string {
  return [
    ...(entrou === null ? [] : [entrou ? 'entered' : 'left']),
    ...(isValid === null ? [] : [isValid ? 'valid' : 'not valid']),
    ...(setor === null ? [] : [`sector ${quoteValue(setor)}`]),
  ].join(', ');
}
