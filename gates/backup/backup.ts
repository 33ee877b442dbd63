import { describeContents, prepareForTables, seeOneInstant } from './backup-contents.ts';
import { writeBackup } from './backup-writer.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { printable, UsageError } from '../cli/errors.ts';
import { readRecordedEvent, reportBoards } from '../events/event.ts';
import { findRecord, withRecordAsOf } from './record-beside.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { userPath } from '../cli/user-path.ts';

export const backup: Command = {
  help: `Usage: npm run -s gates -- backup FILE [--event ID] [--only tickets]

Writes the events, their titles and times, sectors and tickets of the database, with all their columns, and the record of
the flow desk, minutes and log, into a new file, as they are at one instant; board and gates go on meanwhile. FILE is there
once it is whole, for its owner alone to read; one that is there already is not replaced. The same file is an SQL script in
gzip: zcat FILE shows it, psql runs it.

  --event ID      only this event (default: all)
  --only tickets  without the record

The record is read by the role of RECORD_DATABASE_URL; of the embedded database, by itself. Passwords and keys
(secrets.json), settings and the venue's file are not in it. "restore --check FILE" checks whether one is whole.
`,
  async run(args, env) {
    const { values, positionals } = readArguments(
      args,
      { event: { type: 'string' }, only: { type: 'string' } },
      ['FILE'],
    );
    if (values.only !== undefined && values.only !== 'tickets') {
      throw new UsageError(`--only is "${values.only}", which is not "tickets".`);
    }
    const onlyEvent = readRecordedEvent(values.event, {});
    const path = userPath(positionals[0] ?? '', env);
    const stop = stopSignal();
    const target = await findTarget(env, 'GATES_DATABASE_URL', { needsTickets: false });
    reportBoards(target);
    const record = values.only === undefined ? await findRecord(env, target, () => undefined) : undefined;
    const { contents, bytes } = await withSession(target, stop, (session) =>
      session.transaction('No file was written.', async (gates) => {
        await seeOneInstant(gates);
        await gates`set transaction read only`;
        await prepareForTables(gates);
        return withRecordAsOf(gates, record, stop, (recordSql) =>
          writeBackup({ gates, record: recordSql }, path, onlyEvent),
        );
      }),
    );
    process.stdout.write(describeContents(contents));
    process.stdout.write(`Written to ${printable(path)} (${bytes} bytes)\n`);
    return 0;
  },
};
