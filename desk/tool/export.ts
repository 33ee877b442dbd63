import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type postgres from 'postgres';
import {
  LOG_HEADER,
  logLines,
  minuteLine,
  MINUTES_HEADER,
  type RecordedMinuteOfSector,
} from '../model/log/record-csv.ts';
import { readArguments, type Command } from '../../gates/cli/command.ts';
import { errorCode, outputError, printable, UsageError } from '../../gates/cli/errors.ts';
import { chooseEvent, readRecordedEvent } from '../../gates/events/event.ts';
import { writeNewFile } from '../../gates/cli/new-file.ts';
import { withSession } from '../../gates/cli/session.ts';
import { stopSignal } from '../../gates/cli/stop-signal.ts';
import { findTarget } from '../../gates/cli/target.ts';
import { userPath } from '../../gates/cli/user-path.ts';
import { readLog, sha256 } from './record-log.ts';

const MINUTES_AT_ONCE = 5_000;

export const exportRecord: Command = {
  help: `Usage: npm run -s gates -- record export [--event ID] [--minutes | --log] [--out FILE]

Writes the minutes of an event, or its log, as CSV (RFC 4180, UTF-8, times in UTC), as they are at one instant.

  --event ID   this event (default: EVENT_ID, else the event of the running board)
  --minutes    one line a minute and sector (default): source, import, sector (empty: others), minute, admitted (in at its
               end), net, entered, reverted, moved (these three empty where the watching was interrupted), lots, valid
  --log        one line an entry: seq, id, at, source, kind, by, sector, data and figures (JSON), previous, sha256
  --out FILE   into a new file, which is there once it is whole (default: standard output)

A text that begins with = + - or @ has an apostrophe before it, so that no spreadsheet runs it. See docs/record.md.
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      event: { type: 'string' },
      minutes: { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
      out: { type: 'string' },
    });
    if (values.minutes && values.log) throw new UsageError('--minutes or --log: each is a file of its own.');
    const named = readRecordedEvent(values.event, env);
    const stop = stopSignal();
    const target = await findTarget(env, 'RECORD_DATABASE_URL');
    const { eventId } = chooseEvent(named, target);
    const path = values.out === undefined ? undefined : userPath(values.out, env);
    const summary = await withSession(target, stop, (session) =>
      session.transaction(path === undefined ? '' : 'No file was written.', async (sql) => {
        await sql`set transaction isolation level repeatable read read only`;
        await sql`set local extra_float_digits = 1`;
        const lines = values.log ? readLogLines(sql, eventId) : minuteLines(sql, eventId);
        return path === undefined ? print(lines) : save(lines, path);
      }),
    );
    const what = values.log ? 'entries of the log' : 'minutes of a sector';
    const where = path === undefined ? '' : ` written to ${printable(path)}`;
    process.stderr.write(`${summary.lines - 1} ${what}${where}; SHA-256 ${summary.hash}\n`);
    return 0;
  },
};

interface Summary {
  /** The number of lines, with the header. */
  readonly lines: number;
  /** The SHA-256 of the whole CSV. */
  readonly hash: string;
}

async function* minuteLines(sql: postgres.Sql, eventId: string): AsyncGenerator<string[]> {
  yield [MINUTES_HEADER];
  const rows = sql<RecordedMinuteOfSector[]>`
    select event_id as "eventId", source, import_id as "importId", sector,
      (extract(epoch from minute) * 1000)::float8 as "minuteMs", admitted, net, entered, reverted, moved, lots, valid
    from triagem.minutes where event_id = ${eventId} order by source, import_id, minute, sector collate "C"`;
  for await (const some of rows.cursor(MINUTES_AT_ONCE)) yield some.map(minuteLine);
}

async function* readLogLines(sql: postgres.Sql, eventId: string): AsyncGenerator<string[]> {
  const log = await readLog(sql, eventId);
  yield [LOG_HEADER, ...logLines(eventId, log, sha256)];
}

async function save(lines: AsyncIterable<string[]>, path: string): Promise<Summary> {
  let summary: Summary | undefined;
  await writeNewFile(path, async (append) => {
    summary = await writeAll(lines, append);
  });
  if (!summary) throw new Error('the file was written before it was known');
  return summary;
}

function print(lines: AsyncIterable<string[]>): Promise<Summary> {
  return writeAll(lines, async (piece) => {
    if (process.stdout.write(piece)) return;
    await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(
      (error: unknown) => {
        // The reader may have closed the pipe.
        if (errorCode(error) !== 'EPIPE') throw outputError(error);
      },
    );
  });
}

async function writeAll(
  lines: AsyncIterable<string[]>,
  append: (piece: Buffer) => Promise<void>,
): Promise<Summary> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const some of lines) {
    const piece = Buffer.from(some.join(''));
    hash.update(piece);
    count += some.length;
    await append(piece);
  }
  return { lines: count, hash: hash.digest('hex') };
}
