import {
  DEFAULT_EVENT_ID,
  DOCUMENT_ID_FORM,
  isDocumentId,
  isEventId,
  oneEventId,
} from '../../domain/event.ts';
import type { ShownEvent } from '../cli/running-board.ts';
import type { Environment } from '../cli/command.ts';
import { GatesError, printable, quoteValue, UsageError } from '../cli/errors.ts';
import type { Target } from '../cli/target.ts';

/** The event that somebody named, by --event or, without it, by EVENT_ID; undefined: none. */
export function readEvent(option: string | undefined, env: Environment): string | undefined {
  const eventId = readId(option, env, isEventId, '32 hexadecimal characters');
  return eventId === undefined ? undefined : oneEventId(eventId);
}

/** The same, of an event that is recorded: its tickets may be in Firestore, where capitals are another document. */
export function readRecordedEvent(option: string | undefined, env: Environment): string | undefined {
  const eventId = readId(option, env, isDocumentId, DOCUMENT_ID_FORM);
  const isDocument = eventId === undefined || Boolean(env['FIRESTORE_PROJECT']?.trim());
  return isDocument ? eventId : oneEventId(eventId);
}

function readId(
  option: string | undefined,
  env: Environment,
  isId: (text: string) => boolean,
  form: string,
): string | undefined {
  const eventId = option ?? (env['EVENT_ID']?.trim() || undefined);
  if (eventId === undefined || isId(eventId)) return eventId;
  const source = option === undefined ? 'EVENT_ID' : '--event';
  throw new UsageError(`${source} is "${eventId}", which is not ${form}.`);
}

/** What a command writes to. */
export interface ChosenEvent {
  readonly eventId: string;
  /** With its title, for a message. */
  readonly name: string;
}

/** The event that was named, else that of the board, else the product's. Says on stderr which, and who shows it. */
export function chooseEvent(named: string | undefined, target: Target): ChosenEvent {
  const { boards, lastBoard, titles } = target;
  if (named === undefined && boards.length > 1) {
    throw new GatesError(
      `Boards show several events here: ${boards.map(nameOf).join(', ')}. Say which with --event, or set EVENT_ID.`,
    );
  }
  const board = boards.find(({ eventId }) => eventId === named) ?? boards[0] ?? lastBoard;
  const eventId = named ?? board?.eventId ?? DEFAULT_EVENT_ID;
  const name = nameOf(board?.eventId === eventId ? board : { eventId, title: titles.get(eventId) });
  process.stderr.write(`Event ${name}${whoShows(eventId, target)}\n`);
  return { eventId, name };
}

const AT_EDGES = 'counters count it for their edges; what those show is not known here';

function whoShows(eventId: string, { boards, hasCounters, lastBoard, folder }: Target): string {
  if (boards.some((board) => board.eventId === eventId)) return ', which the running board shows.';
  if (hasCounters) return `: ${AT_EDGES}.`;
  if (boards.length > 0) {
    return `: no board here shows it! The running board shows ${boards.map(nameOf).join(', ')}.`;
  }
  if (lastBoard?.eventId === eventId) return ': no board here shows it now; the last one did.';
  return folder === undefined
    ? ': no board shows it, of those that observe this database.'
    : ': no board here shows it.';
}

/** Says on stderr what the boards show that observe this database. */
export function sayBoards({ boards, hasCounters }: Target): void {
  if (hasCounters)
    process.stderr.write('Counters observe this database; what their edges show is not known here.\n');
  else if (boards.length === 0) process.stderr.write('No running board shows this database.\n');
  for (const board of boards) process.stderr.write(`The running board shows event ${nameOf(board)}.\n`);
}

/** Its title, too, if that is known. */
export function nameOf({ eventId, title }: ShownEvent): string {
  return title === undefined ? printable(eventId) : `${printable(eventId)} (${quoteValue(title)})`;
}
