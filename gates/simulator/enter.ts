import { readArguments, readCount, type Command } from '../cli/command.ts';
import { canAsk, confirm } from '../cli/confirm.ts';
import { printable, quoteValue, refusedSilently, UnknownCommitError, UsageError } from '../cli/errors.ts';
import { locateEvent } from '../events/event.ts';
import {
  countMarkable,
  hasTickets,
  markOneByOne,
  markTicket,
  markTogether,
  type Marking,
} from './marking.ts';
import { withSession, type Session } from '../cli/session.ts';

/** More tickets than that at once may be a mistake. */
const ASK_ABOVE = 100;

export const enter: Command = marking({
  name: 'enter',
  explanation: 'Marks tickets that have not entered as entered.',
  task: 'Mark as entered',
  done: 'entered',
  wasSo: 'has entered already',
  lacking: 'no more tickets are left to enter',
  entrou: true,
});

export const revert: Command = marking({
  name: 'revert',
  explanation: `Takes entries back: marks tickets that have entered as not entered.

For "listen" it is a message of this instant: an entry that comes afterwards with an earlier "at" is answered "older", and
does not count. A gate whose clock is behind sends such: set its clock first ("check" and /readyz of "listen" name it), and
count whom it let in meanwhile with "enter --id TICKET".`,
  task: 'Take entries back',
  done: 'taken back',
  wasSo: 'has not entered',
  lacking: 'no more tickets have entered',
  entrou: false,
});

interface Words {
  readonly name: string;
  readonly explanation: string;
  readonly task: string;
  readonly done: string;
  readonly wasSo: string;
  readonly lacking: string;
  readonly entrou: boolean;
}

interface Request extends Marking {
  /** Undefined stands for any tickets. */
  readonly ids: readonly string[] | undefined;
  /** Whether one commit marks them all. */
  readonly isBatch: boolean;
}

function marking(words: Words): Command {
  const { name, explanation, task, lacking, entrou } = words;
  return {
    help: `Usage: npm run -s gates -- ${name} --count N [--setor CODE] [--batch] [--yes] [--event ID]
       npm run -s gates -- ${name} --id TICKET [--id TICKET ...] [--batch] [--yes] [--event ID]

${explanation}

  --id TICKET   this ticket; may be given several times
  --count N     this many, whichever they are
  --setor CODE  of this sector (default: of any sector)
  --batch       all in one commit (default: one commit each)
  --yes         do not ask: more than ${ASK_ABOVE} at once are asked for on a terminal, and need this elsewhere
  --event ID    of this event (default: EVENT_ID, else the event of the running board)

Exit code 1: there were fewer than asked for, or a ticket that was named is unknown or ${entrou ? 'has entered already' : 'has not entered'}, or
the database failed; 2: a wrong option; 130: Ctrl-C. The number that was done is printed in any case.
`,
    async run(args, env) {
      const { values } = readArguments(args, {
        id: { type: 'string', multiple: true },
        setor: { type: 'string' },
        count: { type: 'string' },
        batch: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
        event: { type: 'string' },
      });
      const setor = values.setor ?? null;
      if (values.id && (setor !== null || values.count !== undefined)) {
        throw new UsageError('--id names the tickets: leave --setor and --count out.');
      }
      const ids = values.id && [...new Set(values.id)];
      if (!ids && values.count === undefined) {
        throw new UsageError('Say which tickets: --id TICKET for one, --count N for any.');
      }
      const count = ids?.length ?? readCount('--count', values.count ?? '');
      const mustAsk = count > ASK_ABOVE && !values.yes;
      const { stop, target, event } = await locateEvent(values.event, env);
      if (mustAsk && !canAsk()) {
        throw new UsageError(`${count} tickets at once need --yes, as nobody is here to be asked.`);
      }
      const request: Request = { eventId: event.eventId, setor, count, entrou, ids, isBatch: values.batch };
      return withSession(target, stop, async (session) => {
        if (mustAsk) {
          const tickets = ids ? count : await countMarkable(session.sql, request);
          await confirm(`${task}: ${tickets} tickets${ofSector(setor)}, event ${event.name}?`, stop);
        }
        if (ids) return markNamed(session, request, ids, words);
        const marked = await markAny(session, request, words);
        if (marked === count) return 0;
        const exists = await hasTickets(session.sql, request);
        const why = exists ? lacking : `event ${event.name} has no ticket${ofSector(setor)}`;
        process.stderr.write(`${count} were asked for: ${why}.\n`);
        return 1;
      });
    },
  };
}

async function markAny(session: Session, request: Request, words: Words): Promise<number> {
  if (request.isBatch) {
    const marked = await session.transaction('Nothing was changed.', (sql) => markTogether(sql, request));
    printDone(marked, request, words);
    return marked;
  }
  let marked = 0;
  const commits = session.commits((sql) => markOneByOne(sql, request, () => (marked += 1)));
  await commits.catch((error: unknown) => throwAfter(error, marked, request, words));
  printDone(marked, request, words);
  return marked;
}

async function markNamed(
  session: Session,
  request: Request,
  ids: readonly string[],
  words: Words,
): Promise<number> {
  const failures: string[] = [];
  let marked = 0;
  const markAll = async (sql: Session['sql']): Promise<void> => {
    for (const id of ids) {
      const outcome = await markTicket(sql, request, id);
      if (outcome === 'marked') marked += 1;
      if (outcome === 'was so') failures.push(`${quoteValue(id)} ${words.wasSo}.`);
      if (outcome === 'refused') failures.push(`${quoteValue(id)}: ${refusedSilently(1).message}`);
      if (outcome === 'unknown') failures.push(`${quoteValue(id)} is no ticket of this event.`);
    }
  };
  if (request.isBatch) await session.transaction('Nothing was changed.', markAll);
  try {
    if (!request.isBatch) await session.commits(markAll);
    printDone(marked, request, words);
  } catch (error) {
    throwAfter(error, marked, request, words);
  } finally {
    for (const failure of failures) process.stderr.write(`${failure}\n`);
  }
  return failures.length === 0 ? 0 : 1;
}

/** @throws `error`, after what is known to be done. */
function throwAfter(error: unknown, marked: number, request: Request, words: Words): never {
  if (marked > 0 || !(error instanceof UnknownCommitError)) printDone(marked, request, words);
  throw error;
}

function printDone(marked: number, { setor }: Request, { done }: Words): void {
  process.stdout.write(`${marked} ${marked === 1 ? 'ticket' : 'tickets'}${ofSector(setor)} ${done}\n`);
}

function ofSector(setor: string | null): string {
  return setor === null ? '' : ` of sector ${printable(setor)}`;
}
