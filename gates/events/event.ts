import {
  DEFAULT_EVENT_ID,
  DOCUMENT_ID_FORM,
  isDocumentId,
  isEventId,
  oneEventId,
} from '../../domain/event.ts';
import { titleOf } from '../../domain/event-title.ts';
import type { ShownEvent } from '../cli/running-board.ts';
import type { Environment } from '../cli/command.ts';
import { GatesError, printable, quoteTitle, UsageError } from '../cli/errors.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget, type Target } from '../cli/target.ts';

/** Returns the event of --event, else of EVENT_ID, else undefined. @throws UsageError */
export function readEvent(option: string | undefined, env: Environment): string | undefined {
  const eventId = readId(option, env, isEventId, '32 hexadecimal characters');
  return eventId === undefined ? undefined : oneEventId(eventId);
}

/** Reads the ID of a recorded event. In Firestore, IDs that differ in case are different documents. */
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

export interface ChosenEvent {
  readonly eventId: string;
  /** The ID with the title, for messages. */
  readonly name: string;
}

/** Finds the database, and chooses the event in it that a command works on. */
export async function locateEvent(option: string | undefined, env: Environment) {
  const named = readEvent(option, env);
  const stop = stopSignal();
  const target = await findTarget(env);
  return { stop, target, event: chooseEvent(named, target) };
}

/** Chooses the named event, else the board's, else the default one, and reports on stderr which, and who shows it. */
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

function whoShows(eventId: string, { boards, hasCounters, lastBoard, folder, titles }: Target): string {
  const board = boards.find((one) => one.eventId === eventId);
  if (board) return `, which the running board shows${underWhichTitle(board, titles.get(eventId))}.`;
  if (hasCounters) return `: ${AT_EDGES}.`;
  if (boards.length > 0) {
    return `: no board here shows it! The running board shows ${boards.map(nameOf).join(', ')}.`;
  }
  if (lastBoard?.eventId === eventId) return ': no board here shows it now; the last one did.';
  return folder === undefined
    ? ': no board shows it, of those that observe this database.'
    : ': no board here shows it.';
}

/** A board displays its setting EVENT_TITLE; '' where that is the event's own title or unknown, or the event has none. */
function underWhichTitle({ displayedTitle }: ShownEvent, own: string | undefined): string {
  if (own === undefined || displayedTitle === undefined || displayedTitle === titleOf(own)) return '';
  return ` under the title ${quoteTitle(displayedTitle)} of its setting EVENT_TITLE`;
}

/** Reports on stderr which events the boards of this database show. */
export function reportBoards({ boards, hasCounters }: Target): void {
  if (hasCounters)
    process.stderr.write('Counters observe this database; what their edges show is not known here.\n');
  else if (boards.length === 0) process.stderr.write('No running board shows this database.\n');
  for (const board of boards) process.stderr.write(`The running board shows event ${nameOf(board)}.\n`);
}

/** Returns the ID, with the title if that is known. */
export function nameOf({ eventId, title }: ShownEvent): string {
  return title === undefined ? printable(eventId) : `${printable(eventId)} (${quoteTitle(title)})`;
}
