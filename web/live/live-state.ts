import type { Counts } from '../../domain/event-state.ts';
import { LIVE_AGE_MS } from '../../domain/freshness.ts';
import { type IncompleteRow, type LiveMessage, positionOf } from '../../domain/live-message.ts';
import { isEarlier } from '../../domain/log-position.ts';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import { elapsedMs, type Instant } from './trust/page-clock.ts';
import { type ConnectionState, isSameStatus, readStatus, type Status, type TrueAt } from './trust/status.ts';

type CountsMessage = Extract<LiveMessage, { event: 'counts' }>;

/** What a page knows, and whether it can be trusted. */
export interface LiveState {
  /** Whether a sign-in has ever succeeded: whoever receives has a session. */
  readonly signedIn: boolean;
  /** Whose rows are drawn; `undefined`: the default venue's. */
  readonly venue: ShownVenue | undefined;
  readonly shown: Shown | undefined;
  /** Which of the numbers are less than what entered, as a desk says; it stays until the server says otherwise. */
  readonly incomplete: readonly IncompleteRow[];
  readonly status: Status;
  readonly connection: ConnectionState & {
    /** Counts that came before it was known whether they are live, or of an earlier position than those shown. */
    readonly held: CountsMessage | undefined;
    /** Since when there have been some. */
    readonly heldSince: Instant | undefined;
  };
  readonly trueAt: TrueAt | undefined;
}

/** The numbers on the screen. */
interface Shown {
  readonly id: string;
  readonly counts: Counts;
}

const NO_CONNECTION: LiveState['connection'] = {
  open: false,
  source: undefined,
  held: undefined,
  heldSince: undefined,
  sentAt: undefined,
  awoke: false,
};

export const INITIAL_STATE: LiveState = {
  signedIn: false,
  venue: undefined,
  shown: undefined,
  incomplete: [],
  status: { kind: 'connecting' },
  connection: NO_CONNECTION,
  trueAt: undefined,
};

export type LiveEvent =
  | { readonly type: 'venue'; readonly venue: ShownVenue | undefined }
  | { readonly type: 'signed-in' | 'opened' | 'closed' | 'awoke' | 'ticked' }
  /**
   * All messages of one network chunk: they are applied together, so that no state between them is shown. The newest was
   * sent at `sentAt` or later, by the page's clock.
   */
  | { readonly type: 'received'; readonly messages: readonly LiveMessage[]; readonly sentAt: Instant };

/** The state after `event` at `now`. Returns the same object when nothing has changed. */
export function reduce(state: LiveState, event: LiveEvent, now: Instant): LiveState {
  const next = apply(state, event, now);
  const { connection, shown, trueAt } = next;
  const isDoubted = shown !== undefined && isHeldFor(BEHIND_MS, connection, now);
  const status = readStatus(
    isDoubted ? { ...connection, source: DOUBTED } : connection,
    shown && trueAt,
    now,
  );
  return isSameStatus(status, next.status) ? next : { ...next, status };
}

function apply(state: LiveState, event: LiveEvent, now: Instant): LiveState {
  switch (event.type) {
    case 'signed-in':
      return state.signedIn ? state : { ...state, signedIn: true };
    case 'venue':
      return changeVenue(state, event.venue);
    case 'opened':
      return { ...state, connection: { ...NO_CONNECTION, open: true, awoke: state.connection.awoke } };
    case 'closed':
      return { ...state, connection: NO_CONNECTION };
    case 'awoke':
      return { ...state, connection: { ...state.connection, awoke: true } };
    case 'received':
      return showHeld(receive(state, event, now), now);
    case 'ticked':
      return showHeld(state, now);
    default:
      return state;
  }
}

/** Counts of the rows before are not those of the rows now. The total is the same, whatever the rows. */
function changeVenue(state: LiveState, venue: ShownVenue | undefined): LiveState {
  if (venue?.venueId === state.venue?.venueId) return state;
  const { shown, connection } = state;
  // A sector's code may be "__proto__".
  const sectors = Object.create(null) as Counts['sectors'];
  const total = shown && { ...shown, counts: { ...shown.counts, sectors, others: 0 } };
  return { ...state, venue, shown: total, connection: { ...connection, held: undefined } };
}

function receive(
  state: LiveState,
  { messages, sentAt }: Extract<LiveEvent, { type: 'received' }>,
  now: Instant,
): LiveState {
  let { source, held, heldSince } = state.connection;
  if (!held) heldSince = now;
  let { trueAt, incomplete } = state;
  for (const message of messages) {
    if (message.event === 'counts') held = message;
    if (message.event === 'incomplete') incomplete = message.data;
    if (message.event === 'source') {
      source = message.data;
      if (!source.live) trueAt = { ageMs: source.ageMs, at: sentAt };
    }
  }
  if (source?.live) trueAt = { ageMs: 0, at: sentAt };
  return {
    ...state,
    signedIn: true,
    incomplete,
    trueAt,
    connection: { open: true, source, held, heldSince, sentAt, awoke: false },
  };
}

/**
 * What a live source still has when all that it sent before is too old to be live is the truth, though it be of an earlier
 * position: the database was set back to an older copy.
 */
const SET_BACK_AFTER_MS = LIVE_AGE_MS;
/** A live source that is still behind what is shown speaks for something else. */
const BEHIND_MS = 3_000;
const DOUBTED = { live: false, ageMs: 0, reason: 'lag' } as const;

/** Shows the counts that are held, unless those shown are later: another server may be a little behind the last one. */
function showHeld(state: LiveState, now: Instant): LiveState {
  const { shown, connection } = state;
  const { source, held, heldSince } = connection;
  if (!source || !held) return state;
  const isBehind = shown !== undefined && isEarlier(positionOf(held.id), positionOf(shown.id));
  if (!isBehind || isHeldFor(SET_BACK_AFTER_MS, connection, now)) {
    const counts = { id: held.id, counts: held.data };
    return { ...state, shown: counts, connection: { ...connection, held: undefined } };
  }
  // It has counted the same later than this.
  if (isSame(held.data, shown.counts)) return { ...state, connection: { ...connection, held: undefined } };
  if (!source.live || !heldSince || state.trueAt?.at === heldSince) return state;
  return { ...state, trueAt: { ageMs: 0, at: heldSince } };
}

/** Whether a live source has had nothing but earlier counts for so long. */
function isHeldFor(ms: number, { source, held, heldSince }: LiveState['connection'], now: Instant): boolean {
  return (
    held !== undefined && heldSince !== undefined && source?.live === true && elapsedMs(heldSince, now) > ms
  );
}

function isSame(one: Counts, other: Counts): boolean {
  const codes = Object.keys(one.sectors);
  return (
    one.total === other.total &&
    one.others === other.others &&
    codes.every((code) => one.sectors[code] === other.sectors[code])
  );
}
