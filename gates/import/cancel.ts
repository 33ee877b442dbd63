import type postgres from 'postgres';
import { readArguments, type Command } from '../cli/command.ts';
import { canAsk, confirm } from '../cli/confirm.ts';
import { readColumnNames } from './csv/columns.ts';
import { openTickets } from './csv/read-tickets.ts';
import { openTicketFile, type TicketFile } from './csv/ticket-file.ts';
import { GatesError, printable, UsageError } from '../cli/errors.ts';
import { chooseEvent, readEvent } from '../events/event.ts';
import { findUnknown, type UnknownTickets } from './importing/comparison.ts';
import { applyCorrections, planCancellations } from './importing/corrections.ts';
import { describeEncoding, describeHeader } from './importing/describe-file.ts';
import { readEncoding } from './importing/import-options.ts';
import { describeIds } from './importing/report.ts';
import { assertHeader, createIncoming, stageTickets } from './importing/staging.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';

const UNDONE = 'Nothing was changed.';

export const cancel: Command = {
  help: `Usage: npm run -s gates -- cancel FILE [options]
       npm run -s gates -- cancel - [options]        reads standard input
       npm run -s gates -- cancel --id ID [--id ID …] [options]

Marks tickets as not valid, in one commit. Whether they have entered stays as it is. A ticket is never deleted: "import
--update" makes it valid again. Ids that the event does not have are named, and change nothing; the others are cancelled.

FILE is a CSV with a column id (other columns are left alone), or a list of ids, one in each line.

  --id ID           this ticket; may be given several times
  --column id=NAME  this column is the id
  --encoding NAME   as of "import" (default: found out)
  --yes             do not ask first; needed where nobody can be asked
  --dry-run         print what would be done, and change nothing
  --event ID        in this event (default: EVENT_ID, else the event of the running board)

Exit code 0: all are not valid now; 1: some ids are not of this event, or nothing was changed; 2: a wrong option; 130: Ctrl-C.
`,
  async run(args, env) {
    const hasIds = args.some((arg) => arg === '--id' || arg.startsWith('--id='));
    const { values, positionals } = readArguments(
      args,
      {
        id: { type: 'string', multiple: true },
        column: { type: 'string', multiple: true },
        encoding: { type: 'string' },
        yes: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        event: { type: 'string' },
      },
      hasIds ? [] : ['FILE'],
    );
    const isDryRun = values['dry-run'];
    const mustAsk = !values.yes && !isDryRun;
    if (mustAsk && !canAsk()) throw new UsageError('cancel needs --yes, as nobody is here to be asked.');
    const names = readColumnNames(values.column ?? []);
    const encoding = readEncoding(values.encoding);
    const named = readEvent(values.event, env);
    const path = positionals[0];
    const file = path === undefined ? undefined : await openTicketFile(path, env);
    const stop = stopSignal();
    const stageFile = async (sql: postgres.Sql, eventId: string, from: TicketFile): Promise<void> => {
      const columns = { names, needed: [], idsAlone: true };
      const options = { columns, words: new Map(), encoding, keepsBadLines: false };
      const reader = await openTickets(from, options, stop);
      for (const line of describeHeader(reader.dialect, ['id'])) process.stderr.write(`${line}\n`);
      await stageTickets(sql, reader, from, false);
      await assertHeader(sql, eventId, reader.dialect, columns);
      if (reader.badLines.count > 0) throw reader.badLines.toError('');
      await from.assertUnchanged();
      for (const line of describeEncoding(reader.text.encoding)) process.stderr.write(`${line}\n`);
    };
    try {
      const target = await findTarget(env);
      const { eventId, name } = chooseEvent(named, target);
      return await withSession(target, stop, async (session) => {
        const { plan, unknown } = await session.transaction(UNDONE, async (sql) => {
          if (file) await stageFile(sql, eventId, file);
          else await stageIds(sql, values.id ?? []);
          return { plan: await planCancellations(sql, eventId), unknown: await findUnknown(sql, eventId) };
        });
        const { cancelled, cancelledEntered, notValid } = plan;
        if (cancelled === 0 && notValid === 0) throw noneOf(unknown, name);
        const entered = cancelledEntered === 0 ? '' : `, ${cancelledEntered} of which have entered`;
        if (cancelled > 0 && mustAsk) {
          await confirm(`Mark as not valid: ${cancelled} tickets${entered}, event ${name}?`, stop);
        }
        if (!isDryRun) {
          await session.transaction(UNDONE, (sql) =>
            applyCorrections(sql, eventId, cancelled + notValid, stop),
          );
        }
        const lines = [
          `${cancelled} ${isDryRun ? 'would be ' : ''}marked as not valid${entered}`,
          `${notValid} not valid already`,
          ...(unknown.count > 0 ? [`${unknown.count} not of this event: ${describeIds(unknown)}`] : []),
          ...(isDryRun ? ['Nothing was changed (--dry-run).'] : []),
        ];
        process.stdout.write(`${lines.join('\n')}\n`);
        return unknown.count > 0 ? 1 : 0;
      });
    } finally {
      file?.bytes.destroy();
    }
  },
};

async function stageIds(sql: postgres.Sql, ids: readonly string[]): Promise<void> {
  await createIncoming(sql);
  const rows = [...new Set(ids)].map((id, line) => ({ line, id }));
  await sql`insert into incoming ${sql(rows, 'line', 'id')}`;
}

function noneOf(unknown: UnknownTickets, event: string): GatesError {
  return new GatesError(
    unknown.count === 0
      ? `There is no id to cancel. ${UNDONE}`
      : `The event ${printable(event)} has none of these tickets: ${describeIds(unknown)}: is it the right event? ${UNDONE}`,
  );
}
