import type { Admissions, LiveMessage, SourceState } from '../../domain/live-message.ts';
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
  readonly admissions: Admissions;
}

/** What is known of the present connection alone: a new one starts from nothing. */
interface ConnectionState {
  readonly open: boolean;
  readonly source: SourceState | undefined;
  /** Counts that came before it was known whether they are live. */
  readonly held: CountsMessage | undefined;
  readonly heardAt: Instant | undefined;
  /** The page awoke and has heard nothing since. */
  readonly awoke: boolean;
}

const NO_CONNECTION: ConnectionState = {
  open: false,
  source: undefined,
  held: undefined,
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
      return receive(board, event.messages, now);
    default:
      return board;
  }
}

function receive(board: BoardState, messages: readonly LiveMessage[], now: Instant): BoardState {
  let { source, held } = board.connection;
  let { trueAt } = board;
  for (const message of messages) {
    if (message.event === 'counts') held = held && isOlder(message.id, held.id) ? held : message;
    if (message.event === 'source') {
      source = message.data;
      if (!source.live) trueAt = { ageMs: source.ageMs, at: now };
    }
  }
  if (source?.live) trueAt = { ageMs: 0, at: now };
  const shown = source && held ? show(board.shown, held) : board.shown;
  if (source) held = undefined;
  return {
    ...board,
    signedIn: true,
    shown,
    trueAt,
    connection: { open: true, source, held, heardAt: now, awoke: false },
  };
}

function show(shown: Shown | undefined, { id, data: admissions }: CountsMessage): Shown {
  return shown && isOlder(id, shown.id) ? shown : { id, admissions };
}

/** Ids are `epoch:version`. Across epochs nothing is older: a new epoch is a new truth, lower numbers included. */
function isOlder(id: string, than: string): boolean {
  const [epoch, version] = splitId(id);
  const [otherEpoch, otherVersion] = splitId(than);
  return epoch === otherEpoch && version < otherVersion;
}

function splitId(id: string): readonly [epoch: string, version: number] {
  const colon = id.lastIndexOf(':');
  return [id.slice(0, colon), Number(id.slice(colon + 1))];
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
