import type { Counts } from '../../domain/event-state.ts';
import { type LiveMessage, positionOf, type SourceState } from '../../domain/live-message.ts';
import { isEarlier } from '../../domain/log-position.ts';
import { elapsedMs, STALE_AFTER_MS, type Instant } from './freshness.ts';

/**
 * What the screen says of its numbers. `ageMs`: how long ago they were last known to be true.
 *
 *   connecting ──first counts──▶ live ◀──▶ no-connection   the stream is shut, silent, undecided, or the page awoke
 *                          └───▶ no-source ◀──┘            the stream is well, the server has no database
 *
 * `connecting` never comes back.
 */
export type Status =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'no-connection' | 'no-source'; readonly ageMs: number };

type CountsMessage = Extract<LiveMessage, { event: 'counts' }>;

export interface BoardState {
  /** Whether a sign-in has ever succeeded: whoever receives has a session. */
  readonly signedIn: boolean;
  readonly shown: Shown | undefined;
  readonly status: Status;
  readonly connection: ConnectionState;
  /** The data was true `ageMs` before `at`. */
  readonly trueAt: { readonly ageMs: number; readonly at: Instant } | undefined;
}

/** The numbers on the screen. */
interface Shown {
  readonly id: string;
  readonly admissions: Counts;
}

/** What is known of the present connection alone: a new one starts from nothing. */
interface ConnectionState {
  readonly open: boolean;
  readonly source: SourceState | undefined;
  /** Counts that came before it was known whether they are live, or of an earlier position than those shown. */
  readonly held: CountsMessage | undefined;
  /** Since when there have been some. */
  readonly heldSince: Instant | undefined;
  readonly heardAt: Instant | undefined;
  /** The page awoke and has heard nothing since. */
  readonly awoke: boolean;
}

const NO_CONNECTION: ConnectionState = {
  open: false,
  source: undefined,
  held: undefined,
  heldSince: undefined,
  heardAt: undefined,
  awoke: false,
};

export const INITIAL_BOARD: BoardState = {
  signedIn: false,
  shown: undefined,
  status: { kind: 'connecting' },
  connection: NO_CONNECTION,
  trueAt: undefined,
};

export type BoardEvent =
  | { readonly type: 'signed-in' | 'opened' | 'closed' | 'awoke' | 'ticked' }
  /** All messages of one network chunk: they are applied together, so that no state between them is shown. */
  | { readonly type: 'received'; readonly messages: readonly LiveMessage[] };

/** The board after `event` at `now`. Returns the same object when nothing has changed. */
export function advance(board: BoardState, event: BoardEvent, now: Instant): BoardState {
  const next = apply(board, event, now);
  const status = readStatus(next, now);
  return sameStatus(status, next.status) ? next : { ...next, status };
}

function apply(board: BoardState, event: BoardEvent, now: Instant): BoardState {
  switch (event.type) {
    case 'signed-in':
      return board.signedIn ? board : { ...board, signedIn: true };
    case 'opened':
      return { ...board, connection: { ...NO_CONNECTION, open: true, awoke: board.connection.awoke } };
    case 'closed':
      return { ...board, connection: NO_CONNECTION };
    case 'awoke':
      return { ...board, connection: { ...board.connection, awoke: true } };
    case 'received':
      return showHeld(receive(board, event.messages, now), now);
    case 'ticked':
      return showHeld(board, now);
    default:
      return board;
  }
}

function receive(board: BoardState, messages: readonly LiveMessage[], now: Instant): BoardState {
  let { source, held, heldSince } = board.connection;
  if (!held) heldSince = now;
  let { trueAt } = board;
  for (const message of messages) {
    if (message.event === 'counts') held = message;
    if (message.event === 'source') {
      source = message.data;
      if (!source.live) trueAt = { ageMs: source.ageMs, at: now };
    }
  }
  if (source?.live) trueAt = { ageMs: 0, at: now };
  return {
    ...board,
    signedIn: true,
    trueAt,
    connection: { open: true, source, held, heldSince, heardAt: now, awoke: false },
  };
}

/**
 * A source that is live is at most 5 s behind the database, and its messages are at most STALE_AFTER_MS under way. What it
 * still has after this is the truth, though it be of an earlier position: the database was set back to an older copy.
 */
const SET_BACK_AFTER_MS = 15_000;

/** Shows the counts that are held, unless those shown are later: another server may be a little behind the last one. */
function showHeld(board: BoardState, now: Instant): BoardState {
  const { shown, connection } = board;
  const { source, held, heldSince } = connection;
  if (!source || !held) return board;
  const isSetBack = source.live && heldSince && elapsedMs(heldSince, now) > SET_BACK_AFTER_MS;
  if (shown && !isSetBack && isEarlier(positionOf(held.id), positionOf(shown.id))) return board;
  return {
    ...board,
    shown: { id: held.id, admissions: held.data },
    connection: { ...connection, held: undefined },
  };
}

function readStatus({ shown, connection, trueAt }: BoardState, now: Instant): Status {
  if (!shown || !trueAt) return { kind: 'connecting' };
  const { open, source, heardAt, awoke } = connection;
  const heard = open && !awoke && heardAt !== undefined && elapsedMs(heardAt, now) <= STALE_AFTER_MS;
  if (heard && source?.live) return { kind: 'live' };
  const ageMs = trueAt.ageMs + elapsedMs(trueAt.at, now);
  return { kind: heard && source ? 'no-source' : 'no-connection', ageMs };
}

/** Ages count in whole seconds: what the screen shows. */
function sameStatus(a: Status, b: Status): boolean {
  if (a.kind !== b.kind) return false;
  return !('ageMs' in a) || !('ageMs' in b) || Math.floor(a.ageMs / 1000) === Math.floor(b.ageMs / 1000);
}
