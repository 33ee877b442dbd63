import { splitTimeline } from './returned-primary.ts';

/**
 * A position in the write-ahead log of a database: `7580123456789012345.000000010000001600B374D8`, its system identifier,
 * then timeline and LSN in hexadecimal as in the names of PostgreSQL's log files, so that the text itself sorts. A state at a
 * position holds everything that was committed before it: states of different counters can be ordered.
 *
 * The system identifier is made with the database cluster: another one has another log. The timeline grows with every
 * promotion of a standby. Where an operator has gone back to a former primary, `R` and the rank of the return stand before
 * it, so that it sorts behind all without. A source that is no PostgreSQL names its log by digits that no other
 * log has, and points in it, in the same form.
 */
export type LogPosition = string;

const LSN_DIGITS = 16;
const TIMELINE_DIGITS = 8;

/** `timeline` includes its return (returned-primary.ts). */
export function formatPosition(systemId: string, timeline: number, lsn: bigint): LogPosition {
  return `${systemId}.${formatTimeline(timeline)}${hex(lsn, LSN_DIGITS)}`;
}

/** Formats a timeline as in a position. */
export function formatTimeline(timeline: number): string {
  const { rank, own } = splitTimeline(timeline);
  return (rank === 0 ? '' : `R${hex(rank, TIMELINE_DIGITS)}`) + hex(own, TIMELINE_DIGITS);
}

/**
 * Returns the position in fewer bytes, for a frame; short ones have the same order. The system identifier is in base 36;
 * timeline and LSN are without leading zeros, each after the number of its digits, so that the text itself sorts:
 * `1ll8xiaw0a6ih.11A1600B374D8`.
 */
export function shortPosition(position: LogPosition): LogPosition {
  return shortTimelineAt(position) + counted(position.slice(-LSN_DIGITS));
}

/** Returns what precedes the LSN in a short position of this timeline; short timelines have the order of positions. */
export function shortTimeline(system: string, timeline: string): LogPosition {
  const rank = timeline.slice(0, -TIMELINE_DIGITS);
  const own = counted(timeline.slice(-TIMELINE_DIGITS));
  return `${BigInt(system).toString(36)}.${rank === '' ? '' : `R${counted(rank.slice(1))}`}${own}`;
}

/** Returns the short timeline of a position. */
export function shortTimelineAt(position: LogPosition): LogPosition {
  return shortTimeline(systemOf(position), timelineOf(position));
}

/** Returns the short timeline of a short position; of any other text, the result is undefined. */
export function shortTimelineOf(position: LogPosition): LogPosition {
  let end = position.indexOf('.') + 1;
  if (position[end] === 'R') end += 2 + Number(position[end + 1]);
  return position.slice(0, end + 1 + Number(position[end]));
}

/** Returns another position in the same log. */
export function withPoint(position: LogPosition, point: bigint): LogPosition {
  return position.slice(0, -LSN_DIGITS) + hex(point, LSN_DIGITS);
}

/**
 * Whether `position` comes before `than` in the same log. A higher timeline retires the lower ones, whatever their LSNs.
 * Positions of different systems have no order: neither is earlier.
 */
export function isEarlier(position: LogPosition, than: LogPosition): boolean {
  return systemOf(position) === systemOf(than) && position < than;
}

/** Whether the timeline of `position` is that of the first promotion after that of `before`. */
export function isNextTimeline(position: LogPosition, before: LogPosition): boolean {
  const [own, last] = [timelineOf(position), timelineOf(before)].map((text) => ({
    rank: text.slice(0, -TIMELINE_DIGITS),
    number: Number.parseInt(text.slice(-TIMELINE_DIGITS), 16),
  }));
  return (
    systemOf(position) === systemOf(before) &&
    own?.rank === last?.rank &&
    own?.number === (last?.number ?? 0) + 1
  );
}

/** Returns the system identifier: database clusters with different ones have different logs. */
export function systemOf(position: LogPosition): string {
  return position.split('.')[0] ?? '';
}

/** Returns the timeline in hexadecimal, with its return: the text sorts. */
export function timelineOf(position: LogPosition): string {
  return (position.split('.')[1] ?? '').slice(0, -LSN_DIGITS);
}

/** Whether this text has the form of a position. */
export function isLogPosition(text: string): boolean {
  return /^\d{1,20}\.(R[0-9A-F]{8})?[0-9A-F]{24}$/.test(text);
}

/** Whether this text has the form of what `shortTimeline` returns. */
export function isShortTimeline(text: string): boolean {
  // "-" stands for the LSN of a position: the text before it must be complete.
  return (
    /^[0-9a-z]{1,14}\.(R[1-8][0-9A-F]{1,8})?[1-8][0-9A-F]{1,8}$/.test(text) &&
    shortTimelineOf(`${text}-`) === text
  );
}

function hex(number: number | bigint, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0');
}

/** Up to 35 digits. */
function counted(padded: string): string {
  const digits = padded.replace(/^0+/, '');
  return digits.length.toString(36).toUpperCase() + digits;
}
