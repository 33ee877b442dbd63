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
 * Whether the counts can be trusted as of now. `ageMs` is how long ago they last could, in milliseconds, at
 * the moment of sending: a duration, so that the clocks of server and viewer need not agree.
 */
export type SourceState =
  | { readonly live: true }
  | { readonly live: false; readonly ageMs: number; readonly reason: StaleReason };

/** What a clock in the venue shows at the moment of sending, by the server's: a screen's own is often wrong. */
export interface VenueClock {
  /** Milliseconds since 1970. */
  readonly unixMs: number;
  /** How far the venue's time zone is ahead of UTC at that moment, in milliseconds. */
  readonly utcOffsetMs: number;
}

/** Where people passed who are not counted, and when by a clock in the venue: "18:33". */
export interface IncompleteRow {
  /** What names the row; '' the tickets of no row; null: all. */
  readonly row: string | null;
  /** Empty: it is not known whether any did, as the record cannot be read. */
  readonly from: string;
  /** Null: they still do. */
  readonly to: string | null;
  /** It is no count: an evacuation holds since then, during which the venue has a text for its walls. It is the last one. */
  readonly kind?: 'evacuation';
}

/**
 * The messages of the live stream, as server-sent events. A connection starts with `build`; then each kind's
 * newest state, in the order `incomplete` (where there is a desk), `counts`, `source`, `sectors`; `heartbeat` every
 * HEARTBEAT_INTERVAL_MS (freshness.ts).
 *
 * `sentAtMs` is a clock of the server's own, which starts anywhere and only goes on: it tells a viewer which
 * messages have been under way for too long (in the buffers of a slow link, for instance). `clock` is read at the same
 * moment. `receivedAtMs` is the same clock when the request for the stream came in: what the server took to answer is not
 * counted as the link's delay. On the wire they stand among the data.
 */
export type LiveMessage =
  | {
      readonly event: 'build';
      readonly sentAtMs: number;
      readonly receivedAtMs?: number | undefined;
      readonly clock?: VenueClock | undefined;
      readonly data: { readonly id: string };
    }
  /** `id`: `epoch:position`, of which snapshot and how far. `data` is the full state, never a difference. */
  | {
      readonly event: 'counts';
      readonly id: string;
      readonly sentAtMs: number;
      readonly data: Counts;
    }
  /** Empty: the counts are whole, and no evacuation is to be shown. */
  | { readonly event: 'incomplete'; readonly data: readonly IncompleteRow[] }
  | { readonly event: 'source'; readonly sentAtMs?: number | undefined; readonly data: SourceState }
  | { readonly event: 'sectors'; readonly data: readonly SectorDocument[] }
  | { readonly event: 'heartbeat'; readonly sentAtMs: number; readonly clock?: VenueClock | undefined };

/** `epoch:position`: the snapshot that was counted on from, and how far, in short. */
function encodeCountsId({ epoch, position }: Pick<CountsSlice, 'epoch' | 'position'>): string {
  return `${epoch}:${shortPosition(position)}`;
}

/** By which counts are ordered, whatever their epochs. */
export function positionOf(countsId: string): LogPosition {
  return countsId.split(':')[1] ?? '';
}

/** What viewers are told of an event's counts: its admissions in these rows. */
export function countsMessage(
  counts: CountsSlice,
  rows: readonly Row[],
  sentAtMs: number,
): Extract<LiveMessage, { event: 'counts' }> {
  return { event: 'counts', id: encodeCountsId(counts), sentAtMs, data: countAdmitted(counts, rows) };
}

/**
 * What viewers are told of counts that are not whole, and of an evacuation where they are to know of it: times as a clock in
 * the venue shows them.
 */
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

/** `nowMs`: the clock of the freshness, at the moment of sending. */
export function sourceState(freshness: Freshness, nowMs: number): SourceState {
  if (freshness.live) return freshness;
  const { verifiedAtMs, reason } = freshness;
  return { live: false, ageMs: Math.max(0, Math.round(nowMs - verifiedAtMs)), reason };
}

/** The text of one server-sent event (WHATWG HTML, section 9.2), with the blank line that ends it. */
export function encodeLiveMessage(message: LiveMessage): string {
  const id = message.event === 'counts' ? `id: ${message.id}\n` : '';
  const data = 'data' in message ? message.data : {};
  const sent = 'sentAtMs' in message ? { ...data, sentAtMs: message.sentAtMs } : data;
  const timed = 'clock' in message ? { ...sent, clock: message.clock } : sent;
  const called = 'receivedAtMs' in message ? { ...timed, receivedAtMs: message.receivedAtMs } : timed;
  return `event: ${message.event}\n${id}data: ${JSON.stringify(called)}\n\n`;
}

/** decodeLiveMessage for the rows of one venue. */
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

/** The clock may be missing: a screen of a server that does not tell it shows none. */
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

/** A server of an earlier version does not say it. */
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
