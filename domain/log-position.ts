/**
 * A place in the write-ahead log of a database: `7580123456789012345.000000010000001600B374D8`, its system identifier,
 * then timeline and LSN in hexadecimal as in the names of PostgreSQL's log files, so that the text itself sorts. A state
 * at a position holds everything that was committed before it: states can be ordered whoever counted them.
 *
 * The system identifier is made with the database cluster: another one has another log. The timeline grows with every
 * promotion of a standby. A source that is no PostgreSQL names its log, and points in it, in the same form.
 */
export type LogPosition = string;

const LSN_DIGITS = 16;

export function formatPosition(systemId: string, timeline: number, lsn: bigint): LogPosition {
  return `${systemId}.${hex(timeline, 8)}${hex(lsn, LSN_DIGITS)}`;
}

/**
 * The same place in fewer bytes, for a frame; short ones are ordered among themselves as the positions are. The system
 * identifier is to base 36; timeline and LSN are without zeros before them, each behind the number of its digits, so that
 * the text itself sorts: `1ll8xiaw0a6ih.11A1600B374D8`.
 */
export function shortPosition(position: LogPosition): LogPosition {
  const timeline = counted(timelineOf(position));
  const lsn = counted(position.slice(-LSN_DIGITS));
  return `${BigInt(systemOf(position)).toString(36)}.${timeline}${lsn}`;
}

/** Another place in the same log. */
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

/** What names the database cluster: two with different ones have different logs. */
export function systemOf(position: LogPosition): string {
  return position.split('.')[0] ?? '';
}

/** In hexadecimal: the text sorts. */
export function timelineOf(position: LogPosition): string {
  return (position.split('.')[1] ?? '').slice(0, -LSN_DIGITS);
}

/** Whether this text has the form of a position. */
export function isLogPosition(text: string): boolean {
  return /^\d{1,20}\.[0-9A-F]{24}$/.test(text);
}

function hex(number: number | bigint, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0');
}

/** Of up to 35 digits. */
function counted(padded: string): string {
  const digits = padded.replace(/^0+/, '');
  return digits.length.toString(36).toUpperCase() + digits;
}
