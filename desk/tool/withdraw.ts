import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { readArguments, type Command } from '../../gates/cli/command.ts';
import { printable, UsageError } from '../../gates/cli/errors.ts';
import { readRecordedEvent } from '../../gates/events/event.ts';
import { withSession } from '../../gates/cli/session.ts';
import { stopSignal } from '../../gates/cli/stop-signal.ts';
import { findTarget } from '../../gates/cli/target.ts';
import { addEntries, activeImports, lockRecord, readDatabaseTime, readLog } from './record-log.ts';

export const withdrawImports: Command = {
  help: `Usage: npm run -s gates -- record withdraw --event ID

Withdraws the imports of an event that no board records now: their minutes stay in the record, and count nowhere. The log
records it, with the time. It never asks, and takes no --yes.

  --event ID  this event; it must be named
`,
  async run(args, env) {
    const { values } = readArguments(args, { event: { type: 'string' } });
    if (values.event === undefined) throw new UsageError('--event is missing: the event must be named.');
    const eventId = readRecordedEvent(values.event, {}) ?? '';
    const stop = stopSignal();
    const target = await findTarget(env, 'RECORD_DATABASE_URL');
    const withdrawn = await withSession(target, stop, (session) =>
      session.transaction('Nothing was withdrawn.', async (sql) => {
        await lockRecord(sql, eventId);
        const log = await readLog(sql, eventId);
        const active = activeImports(log);
        const atMs = await readDatabaseTime(sql);
        await addEntries(
          sql,
          eventId,
          log,
          active.map((row) => takeBack(row, atMs)),
        );
        return active.length;
      }),
    );
    process.stdout.write(
      withdrawn === 0
        ? `The event ${printable(eventId)} has no import to withdraw.\n`
        : `${withdrawn} ${withdrawn === 1 ? 'import' : 'imports'} of the event ${printable(eventId)} withdrawn\n`,
    );
    return 0;
  },
};

export function takeBack({ id, figures }: LogRow, atMs: number): LogEntry {
  return {
    id: `take-back:${id}`,
    atMs,
    source: 'import',
    by: null,
    sector: null,
    kind: 'take-back',
    data: { id },
    figures,
  };
}
