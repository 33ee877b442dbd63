import { readFile } from 'node:fs/promises';
import type { LogEntry } from '../model/log/flow-log.ts';
import { sectorCodesOf, type Venue } from '../../domain/venue.ts';
import { readArguments, type Command } from '../../gates/cli/command.ts';
import { canAsk, confirm } from '../../gates/cli/confirm.ts';
import { decodeText } from '../../gates/import/csv/encoding.ts';
import { errorMessage, GatesError, printable, quoteValue, UsageError } from '../../gates/cli/errors.ts';
import { readRecordedEvent } from '../../gates/events/event.ts';
import { withSession } from '../../gates/cli/session.ts';
import { stopSignal } from '../../gates/cli/stop-signal.ts';
import { findTarget } from '../../gates/cli/target.ts';
import { userPath } from '../../gates/cli/user-path.ts';
import { venueOf } from '../../gates/import/venue.ts';
import { insertMinutes } from './insert-minutes.ts';
import { readMinutesFile } from './minutes-file.ts';
import { type ImportedMinute, minutesOfLines } from './minutes-of-lines.ts';
import { addEntries, activeImports, lockRecord, readDatabaseTime, readLog, sha256 } from './record-log.ts';
import { takeBack } from './withdraw.ts';

const UNDONE = 'Nothing was recorded.';

export const importRecord: Command = {
  help: `Usage: npm run -s gates -- record import FILE.csv --event ID [--replace] [--yes]

Adds the minutes of an earlier match, as a turnstile log has them, to the record of an event that no board records now.
Nothing recorded is ever removed: an import can be withdrawn, and then counts nowhere. All of the file is taken, or nothing.

  --event ID  the event of that match; it must be named ("event create" makes one)
  --replace   withdraw the imports of this event that are there first
  --yes       do not ask

The file has a header and the columns sector (code; empty: others), minute (when it began, ISO 8601 with an offset, as
2026-11-22T16:00:00-03:00), admitted (in at the minute's end) and valid (valid tickets), with commas or semicolons. Each
minute has a line for each sector, and no minute is missing: before the first one nobody was in. A column net (how many
more than at the minute's beginning) is needed where a minute is missing before; "record export" has it. Forecasts use it once the
kick-off of the event is known: "event set --kick-off" sets it.
`,
  async run(args, env) {
    const { values, positionals } = readArguments(
      args,
      {
        event: { type: 'string' },
        replace: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
      },
      ['FILE'],
    );
    if (values.event === undefined) throw new UsageError('--event is missing: the event must be named.');
    const eventId = readRecordedEvent(values.event, {}) ?? '';
    if (!values.yes && !canAsk()) throw new UsageError('It needs --yes, as nobody is here to be asked.');
    const stop = stopSignal();
    const bytes = await readWhole(userPath(positionals[0] ?? '', env));
    const rows = minutesOfLines(readMinutesFile(await textOf(bytes), Date.now()));
    const fileHash = sha256(bytes);
    const target = await findTarget(env, 'RECORD_DATABASE_URL');
    if (target.boards.some((board) => board.eventId === eventId)) {
      throw new GatesError(`A running board shows the event ${eventId}: name that of the earlier match.`);
    }
    process.stderr.write(describe(rows, await venueOf(env, target)));
    const minutes = new Set(rows.map(({ minuteMs }) => minuteMs)).size;
    if (!values.yes) {
      await confirm(
        `Add ${minutes} minutes to the event ${printable(eventId)}? They can be withdrawn, not removed.`,
        stop,
      );
    }
    const isNew = await withSession(target, stop, (session) =>
      session.transaction(UNDONE, async (sql) => {
        await lockRecord(sql, eventId);
        const log = await readLog(sql, eventId);
        const active = activeImports(log);
        if (active.some((row) => row.kind === 'import' && row.data.sha256 === fileHash)) return false;
        if (active.length > 0 && !values.replace) {
          throw new GatesError(
            `The event ${eventId} has an import already: withdraw it with --replace, or "record withdraw".`,
          );
        }
        const atMs = await readDatabaseTime(sql);
        const entry: LogEntry = {
          id: `import:${fileHash.slice(0, 32)}:${log.length}`,
          atMs,
          source: 'import',
          by: null,
          sector: null,
          kind: 'import',
          data: { minutes, sha256: fileHash },
          figures: { total: totalAtEnd(rows), sector: null },
        };
        await addEntries(sql, eventId, log, [...active.map((row) => takeBack(row, atMs)), entry]);
        await insertMinutes(sql, { eventId, source: 'import', importId: entry.id }, rows);
        return true;
      }),
    );
    process.stdout.write(
      isNew
        ? `${minutes} minutes recorded for the event ${printable(eventId)}; SHA-256 of the file ${fileHash}\n`
        : `This file is recorded for the event ${printable(eventId)} already: nothing was changed.\n`,
    );
    return 0;
  },
};

async function readWhole(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new GatesError(`${printable(path)} cannot be read: ${errorMessage(error)}.`);
  }
}

async function textOf(bytes: Buffer): Promise<string> {
  const { chunks } = await decodeText(
    (async function* whole() {
      yield bytes;
    })(),
  );
  const decoded: Buffer[] = [];
  for await (const chunk of chunks) decoded.push(chunk);
  return Buffer.concat(decoded).toString();
}

/** Describes the file, and its sectors that the venue does not have. */
function describe(rows: readonly ImportedMinute[], venue: Venue): string {
  const at = (minuteMs: number | undefined): string =>
    `${new Date(minuteMs ?? 0).toISOString().slice(0, 16)}Z`;
  const codes = new Set(['', ...sectorCodesOf(venue)]);
  const sectors = [...new Set(rows.map(({ sector }) => sector))];
  const unknown = sectors.filter((sector) => !codes.has(sector));
  const { admitted, valid } = totalAtEnd(rows);
  const lines = [
    `${sectors.length} sectors from ${at(rows[0]?.minuteMs)} to ${at(rows.at(-1)?.minuteMs)}: ${admitted} in at the end, of ${valid} valid tickets.`,
    ...(unknown.length > 0
      ? [`The venue does not know ${unknown.map(quoteValue).join(', ')}: they are recorded as they are.`]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

function totalAtEnd(rows: readonly ImportedMinute[]): LogEntry['figures']['total'] {
  const endMs = rows.at(-1)?.minuteMs;
  const last = rows.filter(({ minuteMs }) => minuteMs === endMs);
  const sum = (key: 'admitted' | 'valid'): number => last.reduce((all, row) => all + row[key], 0);
  return { admitted: sum('admitted'), valid: sum('valid'), perMinute: null };
}
