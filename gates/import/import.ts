import { readArguments, type Command } from '../cli/command.ts';
import { canAsk, confirm } from '../cli/confirm.ts';
import { openTicketFile } from './csv/ticket-file.ts';
import { printable, UsageError } from '../cli/errors.ts';
import { assertAbsent } from '../cli/new-file.ts';
import { chooseEvent, readEvent } from '../events/event.ts';
import { importFile } from './importing/import-file.ts';
import {
  FILE_HELP,
  IMPORT_ARGUMENTS,
  IMPORT_ARGUMENTS_HELP,
  readImportOptions,
} from './importing/import-options.ts';
import { describeDoubts, describeImported, hasNoTicket } from './importing/report.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { userPath } from '../cli/user-path.ts';
import { venueOf } from './venue.ts';

export const importTickets: Command = {
  help: `Usage: npm run -s gates -- import FILE.csv [options]
       npm run -s gates -- import - [options]        reads standard input

Adds tickets to the event.

${FILE_HELP}

The file is imported as a whole or not at all: all of it is read first, bad lines stop it, with their numbers, and so does
Ctrl-C. An id that is there twice with the same values counts once; with others, its lines are bad. Without --update and
--cancel-missing no ticket that is there is changed, and the last line counts those that differ. Importing again undoes no
admission in any case. An event with simulated tickets takes no others.

${IMPORT_ARGUMENTS_HELP}
  --rejects FILE       import what is good, and write the bad lines to this new file as they came, each with its reason;
                       the first three are named before the question
  --yes                do not ask before tickets are cancelled, or bad lines left out; needed where nobody can be asked
  --dry-run            print what would be done, bad lines and all else that stands out, and change nothing
  --event ID           into this event (default: EVENT_ID, else the event of the running board)

What was done is printed after the commit. Exit code 0: imported, or written to the file of --rejects; 1: some ids were
not there, and not added, as the file has no column setor, or the file has no ticket, or nothing was imported, or, with
--dry-run, would be; 2: a wrong option; 130: Ctrl-C.
`,
  async run(args, env) {
    const { values, positionals } = readArguments(
      args,
      {
        ...IMPORT_ARGUMENTS,
        rejects: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
      },
      ['FILE.csv'],
    );
    const options = readImportOptions(values);
    const isDryRun = values['dry-run'];
    const rejects = values.rejects === undefined ? undefined : userPath(values.rejects, env);
    if (rejects !== undefined && options.cancelMissing) {
      throw new UsageError(
        '--rejects and --cancel-missing exclude each other: the ticket of a bad line would be cancelled.',
      );
    }
    const mustAsk = (options.cancelMissing || rejects !== undefined) && !values.yes;
    if (mustAsk && !isDryRun && !canAsk()) {
      const option = options.cancelMissing ? '--cancel-missing' : '--rejects';
      throw new UsageError(`${option} needs --yes, as nobody is here to be asked.`);
    }
    const named = readEvent(values.event, env);
    // Before minutes of reading, and the question.
    if (rejects !== undefined) await assertAbsent(rejects);
    const file = await openTicketFile(positionals[0] ?? '', env);
    const stop = stopSignal();
    try {
      const target = await findTarget(env);
      const event = chooseEvent(named, target);
      const imported = await importFile(file, {
        target,
        event,
        venue: await venueOf(env, target),
        options,
        rejects,
        isDryRun,
        stop,
        log: (line) => void process.stderr.write(`${line}\n`),
        async approve({ tickets, badLines, cancelled, cancelledEntered }) {
          if (!mustAsk) return;
          const entered = cancelledEntered === 0 ? '' : `, ${cancelledEntered} of which have entered`;
          const question =
            rejects === undefined
              ? `Mark as not valid: ${cancelled} tickets that are not in ${printable(file.path)}${entered}, event ${event.name}?`
              : `Import ${tickets} tickets without ${badLines} bad lines, which ${printable(rejects)} gets, event ${event.name}?`;
          await confirm(question, stop);
        },
      });
      process.stdout.write(`${describeImported(imported, options, { isDryRun, rejects }).join('\n')}\n`);
      for (const line of describeDoubts(imported, { isDryRun })) process.stderr.write(`${line}\n`);
      if (
        hasNoTicket(imported) ||
        imported.unknown.count > 0 ||
        (imported.badLines > 0 && rejects === undefined)
      )
        return 1;
    } finally {
      file.bytes.destroy();
    }
    return 0;
  },
};
