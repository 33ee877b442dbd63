import { verifyChain } from '../model/log/log-chain.ts';
import { readArguments, type Command } from '../../gates/cli/command.ts';
import { GatesError, printable, UsageError } from '../../gates/cli/errors.ts';
import { readRecordedEvent } from '../../gates/events/event.ts';
import { withSession } from '../../gates/cli/session.ts';
import { stopSignal } from '../../gates/cli/stop-signal.ts';
import { findTarget } from '../../gates/cli/target.ts';
import { readLog, sha256 } from './record-log.ts';

export const verifyRecord: Command = {
  help: `Usage: npm run -s gates -- record verify [--event ID [--link SEQ:SHA256]]

Holds each row of the log against the SHA-256 that the next one has of it, and prints the last link of each event: keep it
elsewhere (it is on the printed record), and hand it over later. Exit code 1 where a log is not as it was written.

  --event ID         this event only (default: all)
  --link SEQ:SHA256  the row SEQ must have this hash, as it was kept

The chain reveals rows that were changed, added or removed between others. The owner of the database could rewrite all of
it: only a link that was kept elsewhere reveals that.
`,
  async run(args, env) {
    const { values } = readArguments(args, { event: { type: 'string' }, link: { type: 'string' } });
    const only = readRecordedEvent(values.event, {});
    if (values.link !== undefined && only === undefined) {
      throw new UsageError('--link is of one event: name it with --event.');
    }
    const link = values.link === undefined ? undefined : readLink(values.link);
    const stop = stopSignal();
    const target = await findTarget(env, 'RECORD_DATABASE_URL');
    const results = await withSession(target, stop, (session) =>
      session.transaction('', async (sql) => {
        await sql`set transaction isolation level repeatable read read only`;
        await sql`set local extra_float_digits = 1`;
        const events = await sql<{ eventId: string }[]>`
          select distinct event_id as "eventId" from triagem.log
          ${only === undefined ? sql`` : sql`where event_id = ${only}`} order by 1`;
        const checked = [];
        for (const { eventId } of events) {
          checked.push({ eventId, ...verifyChain(eventId, await readLog(sql, eventId), sha256, link) });
        }
        return checked;
      }),
    );
    if (results.length === 0) {
      if (link) throw new GatesError(`The event ${only} has no log, and so not the row ${link.seq}.`);
      process.stderr.write(
        only === undefined ? 'The record has no log yet.\n' : `The event ${printable(only)} has no log.\n`,
      );
    }
    for (const { eventId, rows, lastHash, broken } of results) {
      process.stdout.write(
        broken
          ? `${printable(eventId)}: NOT as it was written: row ${broken.seq} or the one before it was changed, added or removed: ${broken.why}\n`
          : `${printable(eventId)}: ${rows} rows, each as it was written; last link ${rows}:${lastHash}\n`,
      );
    }
    return results.some(({ broken }) => broken !== undefined) ? 1 : 0;
  },
};

function readLink(text: string): { seq: number; hash: string } {
  const [, seq = '', hash = ''] = /^(\d{1,9}):([0-9a-fA-F]{64})$/.exec(text.trim()) ?? [];
  if (hash === '')
    throw new UsageError(`--link is "${text}" instead of SEQ:SHA256, as "record verify" prints it.`);
  return { seq: Number(seq), hash: hash.toLowerCase() };
}
