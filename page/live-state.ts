import type { Counts } from '../domain/event-state.ts';
import { LIVE_AGE_MS, SOURCE_AGE_MS } from '../domain/freshness.ts';
import { type IncompleteRow, type LiveMessage, positionOf } from '../domain/live-message.ts';
import { isEarlier, shortTimelineOf } from '../domain/log-position.ts';
import type { ShownVenue } from '../domain/shown-venue.ts';
import type { Instant } from './trust/page-clock.ts';
import {
  ageOf,
  type ConnectionState,
  isSameStatus,
  readStatus,
  type Status,
  type TrueAt,
} from './trust/status.ts';

type CountsMessage = Extract<LiveMessage, { event: 'counts' }>;

/** The data of a page, and whether it can be trusted. */
export interface LiveState {
  /** Whether a sign-in has ever succeeded; a page that receives messages has a session. */
  readonly signedIn: boolean;
  /** The venue whose rows are drawn; `undefined`: the default one. */
  readonly venue?: ShownVenue | undefined;
  readonly shown?: Shown | undefined;
  /** The rows that a desk marked as incomplete, until the server sends others. */
  readonly incomplete: readonly IncompleteRow[];
  /** The highest timeline displayed, as `shortTimelineOf` writes it; it outlives a reload. */
  readonly seen: string | null;
  readonly status: Status;
  readonly connection: ConnectionState & {
    /** Counts that came before the source's state, or that have an earlier position than those displayed. */
    readonly held?: CountsMessage | undefined;
    /** When the source last verified its counts. */
    readonly verified?: TrueAt | undefined;
    /** Those that were last displayed, or verified, on this connection: a server that has just started may have none. */
    readonly known?: CountsMessage | undefined;
  };
  /** When a source last verified the displayed counts; earlier ones that are held verify nothing. */
  readonly trueAt?: TrueAt | undefined;
}

/** The numbers on the screen. */
interface Shown {
  readonly id: string;
  readonly counts: Counts;
}

const NO_CONNECTION: LiveState['connection'] = {
  open: false,
  awoke: false,
};

export const INITIAL_STATE: LiveState = {
  signedIn: false,
  incomplete: [],
  seen: null,
  status: { kind: 'connecting' },
  connection: NO_CONNECTION,
};

export type LiveEvent =
  | { readonly type: 'venue'; readonly venue: ShownVenue | undefined }
  | { readonly type: 'signed-in' | 'opened' | 'closed' | 'awoke' | 'ticked' }
  /**
   * The messages of one network chunk are applied together, so that no state between them is displayed. The newest was sent
   * at `sentAt` or later, by the page's clock.
   */
  | { readonly type: 'received'; readonly messages: readonly LiveMessage[]; readonly sentAt: Instant };

/** Returns the state after `event` at `now`, or the same object when nothing has changed. */
export function reduce(state: LiveState, event: LiveEvent, now: Instant): LiveState {
  const next = apply(state, event, now);
  const { connection, shown, trueAt } = next;
  const isDoubted = isOfFormer(next) || contradictedMs(next, now) > SOURCE_AGE_MS;
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
      return receive(state, event, now);
    case 'ticked':
      return state.connection.held ? show(state, now) : state;
    default:
      return state;
  }
}

/** Another venue has other rows, so their counts go; the total is the same for all venues. */
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
  let { source, held, verified } = state.connection;
  let { incomplete } = state;
  for (const message of messages) {
    if (message.event === 'counts') held = message;
    if (message.event === 'incomplete') incomplete = message.data;
    if (message.event === 'source') {
      source = message.data;
      verified = { ageMs: message.data.live ? 0 : message.data.ageMs, at: sentAt };
    }
  }
  if (source?.live) verified = { ageMs: 0, at: sentAt };
  const connection = { ...state.connection, open: true, source, held, verified, sentAt, awoke: false };
  return show({ ...state, signedIn: true, incomplete, connection }, now);
}

const DOUBTED = { live: false };

/**
 * Whether the held counts are a former primary's. They never become valid with time, as only a higher timeline is valid;
 * an operator who goes back on purpose creates one as well.
 */
export function isOfFormer({ seen, connection: { held } }: LiveState): boolean {
  return Boolean(seen && held && isEarlier(positionOf(held.id), seen));
}

/** Displays the held counts, unless those displayed are later: another server may be a little behind the last one. */
function show(state: LiveState, now: Instant): LiveState {
  const { shown, connection, trueAt } = state;
  const { source, held, verified } = connection;
  if (!verified) return state;
  const isFormer = isOfFormer(state);
  const isBehind = held && shown && isEarlier(positionOf(held.id), positionOf(shown.id));
  // What was displayed so long ago is in the counts of every live source: the database was set back to an older copy.
  const isTaken = held && !isFormer && (!isBehind || contradictedMs(state, now) > LIVE_AGE_MS);
  // Equal counts at an earlier position verify those displayed; others do not. Servers write the sectors in the venue's order.
  const isOther = held && JSON.stringify(held.data) !== JSON.stringify(shown?.counts);
  if (!isTaken && (isOther || isFormer)) return state;
  const known = held ?? connection.known;
  return {
    ...state,
    ...(isTaken && {
      shown: { id: held.id, counts: held.data },
      seen: shortTimelineOf(positionOf(held.id)),
    }),
    trueAt: known || source?.live ? verified : trueAt,
    connection: { ...connection, held: undefined, known },
  };
}

/** How long ago those displayed were last verified, where a live source has other counts of an earlier position; else 0. */
function contradictedMs({ connection: { source, held }, trueAt }: LiveState, now: Instant): number {
  return source?.live && held && trueAt ? ageOf(trueAt, now) : 0;
}
