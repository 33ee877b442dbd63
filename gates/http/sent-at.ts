/** Of RFC 3339, without the leap second, which no clock here can say. */
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Those that a clock with an empty battery or a wrong setting shows, and PostgreSQL keeps. */
const [FIRST_YEAR, LAST_YEAR] = [1900, 9998];

/** What is wrong with the time of a message. */
export class BadTime extends Error {}

/** An instant, to the microsecond as PostgreSQL keeps it. */
export interface Instant {
  /** UTC, as text whose order is that of time. */
  readonly text: string;
  readonly ms: number;
}

/** @throws BadTime */
export function readSentAt(text: string): Instant {
  const [, year = '', month = '', day = '', hour, minute, second, fraction = '', sign, hours, minutes] =
    DATE_TIME.exec(text) ?? [];
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const read = new Date(local);
  // The 30th of February would be a day of March.
  if (read.getUTCMonth() + 1 !== Number(month) || read.getUTCDate() !== Number(day)) {
    throw new BadTime('its at is no date and time with an offset, as 2025-03-26T20:15:00.123-03:00');
  }
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const ms = local - offsetMinutes * 60_000;
  if (Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR) {
    throw new BadTime(`its at is before ${FIRST_YEAR} or after ${LAST_YEAR}`);
  }
  return instantOf(ms, fraction);
}

/** `fraction`: of the second, as its digits. */
function instantOf(ms: number, fraction: string): Instant {
  return {
    text: `${new Date(ms).toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`,
    ms: ms + Number(fraction.slice(0, 3).padEnd(3, '0')),
  };
}

/** An instant of a clock, in the same form. */
export function instantText(ms: number): string {
  return instantOf(ms - (ms % 1_000), String(ms % 1_000).padStart(3, '0')).text;
}
