import type { Counts } from '../../domain/event-state.ts';
import { type LiveMessage, positionOf } from '../../domain/live-message.ts';
import { isEarlier, shortTimelineOf } from '../../domain/log-position.ts';
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
  /** The highest timeline that was shown, as `shortTimelineOf` has it; also before this page was loaded anew. */
  readonly seen: string | undefined;
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
  heardAt: undefined,
  awoke: false,
};

export const INITIAL_STATE: LiveState = {
  signedIn: false,
  venue: undefined,
  shown: undefined,
  seen: undefined,
  status: { kind: 'connecting' },
  connection: NO_CONNECTION,
  trueAt: undefined,
};

export type LiveEvent =
  | { readonly type: 'venue'; readonly venue: ShownVenue | undefined }
  | { readonly type: 'signed-in' | 'opened' | 'closed' | 'awoke' | 'ticked' }
  /** All messages of one network chunk: they are applied together, so that no state between them is shown. */
  | { readonly type: 'received'; readonly messages: readonly LiveMessage[] };

/** The state after `event` at `now`. Returns the same object when nothing has changed. */
export function reduce(state: LiveState, event: LiveEvent, now: Instant): LiveState {
  const next = apply(state, event, now);
  const { connection, shown, trueAt } = next;
  const isDoubted = shown !== undefined && (isOfFormer(next) || isHeldFor(BEHIND_MS, connection, now));
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
      return showHeld(receive(state, event.messages, now), now);
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

function receive(state: LiveState, messages: readonly LiveMessage[], now: Instant): LiveState {
  let { source, held, heldSince } = state.connection;
  if (!held) heldSince = now;
  let { trueAt } = state;
  for (const message of messages) {
    if (message.event === 'counts') held = message;
    if (message.event === 'source') {
      source = message.data;
      if (!source.live) trueAt = { ageMs: source.ageMs, at: now };
    }
  }
  if (source?.live) trueAt = { ageMs: 0, at: now };
  return {
    ...state,
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
/** A live source that is still behind what is shown speaks for something else. */
const BEHIND_MS = 3_000;
const DOUBTED = { live: false, ageMs: 0, reason: 'lag' } as const;

/**
 * Whether the counts that are held are a former primary's. They never become the truth by themselves: only a higher
 * timeline is, that of an operator who goes back on purpose included.
 */
export function isOfFormer({ seen, connection: { held } }: LiveState): boolean {
  return seen !== undefined && held !== undefined && isEarlier(shortTimelineOf(positionOf(held.id)), seen);
}

/** Shows the counts that are held, unless those shown are later: another server may be a little behind the last one. */
function showHeld(state: LiveState, now: Instant): LiveState {
  const { shown, connection } = state;
  const { source, held, heldSince } = connection;
  if (!source || !held) return state;
  const isFormer = isOfFormer(state);
  const isBehind = shown !== undefined && isEarlier(positionOf(held.id), positionOf(shown.id));
  if (!isFormer && (!isBehind || isHeldFor(SET_BACK_AFTER_MS, connection, now))) {
    const counts = { id: held.id, counts: held.data };
    const seen = shortTimelineOf(positionOf(held.id));
    return { ...state, shown: counts, seen, connection: { ...connection, held: undefined } };
  }
  if (!shown) return state;
  // It has counted the same later than this.
  if (!isFormer && isSame(held.data, shown.counts))
    return { ...state, connection: { ...connection, held: undefined } };
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
