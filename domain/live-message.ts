import {
  type CountsSlice,
  type Counts,
  countAdmitted,
  type Freshness,
  type IncompleteCount,
  type Row,
  type SectorDocument,
  STALE_REASONS,
  type StaleReason,
} from './event-state.ts';
import { type LogPosition, shortPosition } from './log-position.ts';

/**
 * Whether the counts can be trusted now. `ageMs` is how long ago they were verified, at the moment of sending: a duration, so
 * that the clocks of server and viewer need not agree.
 */
export type SourceState =
  | { readonly live: true }
  | { readonly live: false; readonly ageMs: number; readonly reason: StaleReason };

/** The venue's time at the moment of sending, by the server's clock: a screen's own is often wrong. */
export interface VenueClock {
  /** Milliseconds since 1970. */
  readonly unixMs: number;
  /** How far the venue's time zone is ahead of UTC at that moment, in milliseconds. */
  readonly utcOffsetMs: number;
}

/** A row that people passed uncounted, with the venue's times: "18:33". */
export interface IncompleteRow {
  /** The code of the row; '' the tickets of no row; null: all. */
  readonly row: string | null;
  /** Empty: it is not known whether any did, as the record cannot be read. */
  readonly from: string;
  /** Null: it has not ended. */
  readonly to: string | null;
  /** Set where this is no count but an active evacuation, for which the venue has a wall text. It comes last. */
  readonly kind?: 'evacuation';
}

/**
 * The messages of the live stream, as server-sent events. A connection starts with `build`; then each kind's
 * newest state, in the order `incomplete` (where there is a desk), `counts`, `source`, `sectors`; `heartbeat` every
 * HEARTBEAT_INTERVAL_MS (freshness.ts).
 *
 * `sentAtMs` is a monotonic clock of the server: by it a viewer recognizes messages that were under way for too long (in the
 * buffers of a slow link, for instance). `clock` is read at the same moment. `receivedAtMs` is the same clock when the request
 * for the stream arrived: the time that the server took to answer is not part of the link's delay. On the wire they are
 * among the data.
 */
export type LiveMessage =
  | {
      readonly event: 'build';
      readonly sentAtMs: number;
      readonly receivedAtMs?: number | undefined;
      readonly clock?: VenueClock | undefined;
      readonly data: { readonly id: string };
    }
  /** `id` is `epoch:position`. `data` is the full state, never a difference. */
  | {
      readonly event: 'counts';
      readonly id: string;
      readonly sentAtMs: number;
      readonly data: Counts;
    }
  /** Empty: the counts are complete, and there is no evacuation to display. */
  | { readonly event: 'incomplete'; readonly data: readonly IncompleteRow[] }
  | { readonly event: 'source'; readonly sentAtMs?: number | undefined; readonly data: SourceState }
  | { readonly event: 'sectors'; readonly data: readonly SectorDocument[] }
  | { readonly event: 'heartbeat'; readonly sentAtMs: number; readonly clock?: VenueClock | undefined };

function encodeCountsId({ epoch, position }: Pick<CountsSlice, 'epoch' | 'position'>): string {
  return `${epoch}:${shortPosition(position)}`;
}

/** Counts of any epochs are ordered by it. */
export function positionOf(countsId: string): LogPosition {
  return countsId.split(':')[1] ?? '';
}

/** Returns the message of an event's admissions in these rows. */
export function countsMessage(
  counts: CountsSlice,
  rows: readonly Row[],
  sentAtMs: number,
): Extract<LiveMessage, { event: 'counts' }> {
  return { event: 'counts', id: encodeCountsId(counts), sentAtMs, data: countAdmitted(counts, rows) };
}

/** Returns the message of incomplete counts, and of an evacuation, with the venue's times. */
export function incompleteMessage(
  incomplete: readonly IncompleteCount[],
  { utcOffsetMs }: VenueClock,
  evacuatedAtMs: number | null = null,
): Extract<LiveMessage, { event: 'incomplete' }> {
  const time = (atMs: number): string => new Date(atMs + utcOffsetMs).toISOString().slice(11, 16);
  const data: IncompleteRow[] = incomplete.map(({ row, fromMs, toMs }) => ({
    row,
    from: fromMs === null ? '' : time(fromMs),
    to: toMs === null ? null : time(toMs),
  }));
  if (evacuatedAtMs !== null)
    data.push({ row: null, from: time(evacuatedAtMs), to: null, kind: 'evacuation' });
  return { event: 'incomplete', data };
}

/** `nowMs` is the clock of the freshness, at the moment of sending. */
export function sourceState(freshness: Freshness, nowMs: number): SourceState {
  if (freshness.live) return freshness;
  const { verifiedAtMs, reason } = freshness;
  return { live: false, ageMs: Math.max(0, Math.round(nowMs - verifiedAtMs)), reason };
}

/** Returns the text of one server-sent event (WHATWG HTML, section 9.2), with the blank line that ends it. */
export function encodeLiveMessage(message: LiveMessage): string {
  const id = message.event === 'counts' ? `id: ${message.id}\n` : '';
  const data = 'data' in message ? message.data : {};
  const sent = 'sentAtMs' in message ? { ...data, sentAtMs: message.sentAtMs } : data;
  const timed = 'clock' in message ? { ...sent, clock: message.clock } : sent;
  const called = 'receivedAtMs' in message ? { ...timed, receivedAtMs: message.receivedAtMs } : timed;
  return `event: ${message.event}\n${id}data: ${JSON.stringify(called)}\n\n`;
}

/** Returns decodeLiveMessage for the rows of one venue. */
export function liveMessageDecoder(
  sectorCodes: readonly string[],
): (event: string, data: string, id: string) => LiveMessage | undefined {
  return (event, data, id) => decodeLiveMessage(event, data, id, sectorCodes);
}

/**
 * Reads what encodeLiveMessage wrote. An unknown event is `undefined` (a newer server may send more kinds);
 * a known one whose data is not of its shape throws an Error that names the event. Counts must have all `sectorCodes`.
 */
export function decodeLiveMessage(
  event: string,
  data: string,
  id: string,
  sectorCodes: readonly string[],
): LiveMessage | undefined {
  switch (event) {
    case 'build': {
      const { sentAtMs, receivedAtMs, clock, id: buildId } = read(event, data, isBuild);
      return { event, sentAtMs, receivedAtMs, clock, data: { id: buildId } };
    }
    case 'counts': {
      const { sentAtMs, ...counts } = read(event, data, (value) => isCounts(value, sectorCodes));
      return { event, id, sentAtMs, data: counts };
    }
    case 'incomplete':
      return { event, data: read(event, data, isIncomplete) };
    case 'source': {
      const { sentAtMs, ...source } = read(event, data, isSource);
      return { event, sentAtMs, data: source };
    }
    case 'sectors':
      return { event, data: read(event, data, isSectorDocuments) };
    case 'heartbeat':
      return { event, ...read(event, data, isTimed) };
    default:
      return undefined;
  }
}

function read<T>(event: string, text: string, isShape: (value: unknown) => value is T): T {
  const value: unknown = JSON.parse(text);
  if (!isShape(value)) throw new Error(`malformed "${event}" event`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isSent(value: unknown): value is { sentAtMs: number } {
  return isRecord(value) && typeof value['sentAtMs'] === 'number';
}

/** The clock may be missing: then the screen displays none. */
function isTimed(value: unknown): value is { sentAtMs: number; clock?: VenueClock } {
  return isSent(value) && (!('clock' in value) || isVenueClock(value.clock));
}

function isVenueClock(value: unknown): value is VenueClock {
  return isRecord(value) && typeof value['unixMs'] === 'number' && typeof value['utcOffsetMs'] === 'number';
}

interface Build {
  readonly id: string;
  readonly sentAtMs: number;
  readonly receivedAtMs?: number;
  readonly clock?: VenueClock;
}

function isBuild(value: unknown): value is Build {
  return (
    isTimed(value) && isOptionalNumber(value, 'receivedAtMs') && 'id' in value && typeof value.id === 'string'
  );
}

/** A server of an earlier version does not send it. */
function isOptionalNumber(value: object, name: string): boolean {
  const number: unknown = Reflect.get(value, name);
  return number === undefined || typeof number === 'number';
}

function isSource(value: unknown): value is SourceState & { sentAtMs?: number } {
  return isSourceState(value) && isOptionalNumber(value, 'sentAtMs');
}

function isCounts(value: unknown, sectorCodes: readonly string[]): value is Counts & { sentAtMs: number } {
  if (!isRecord(value) || !isCount(value['total']) || !isCount(value['others'])) return false;
  const sectors = value['sectors'];
  return isSent(value) && isRecord(sectors) && sectorCodes.every((code) => isCount(sectors[code]));
}

function isSourceState(value: unknown): value is SourceState {
  if (!isRecord(value)) return false;
  if (value['live'] === true) return true;
  return (
    value['live'] === false &&
    typeof value['ageMs'] === 'number' &&
    STALE_REASONS.some((reason) => reason === value['reason'])
  );
}

function isIncomplete(value: unknown): value is IncompleteRow[] {
  return Array.isArray(value) && value.every((item) => isRecord(item) && typeof item['from'] === 'string');
}

function isSectorDocuments(value: unknown): value is SectorDocument[] {
  return Array.isArray(value) && value.every((item) => isRecord(item) && typeof item['code'] === 'string');
}
