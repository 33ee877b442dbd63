/** Matches RFC 3339, from the year 1 on. A leap second is read as the second after it. */
const DATE_TIME =
  /^(?!0000)(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Between them, PostgreSQL stores each instant, and texts sort by time. Instants that an offset puts beyond are clamped. */
const [FIRST, LAST] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map((text) =>
  Date.parse(text),
) as [number, number];

export class BadTime extends Error {}

/** An instant to the microsecond, as PostgreSQL stores it. */
export interface Instant {
  /** UTC, as text that sorts by time. */
  readonly text: string;
  readonly ms: number;
}

/** @throws BadTime */
export function readSentAt(text: string): Instant {
  const [, year = '', month = '', day = '', hour, minute, second, fraction = '', sign, hours, minutes] =
    DATE_TIME.exec(text) ?? [];
  // Date.UTC would read years below 100 as 1900 and later.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // The 30th of February would be a day of March.
  if (year === '' || date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) {
    throw new BadTime('its at is no date and time with an offset, as 2025-03-26T20:15:00.123-03:00');
  }
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const time = (Number(hour) * 60 + Number(minute) - offsetMinutes) * 60_000 + Number(second) * 1_000;
  const ms = date.getTime() + time;
  return ms < FIRST || ms > LAST ? { text: instantText(clamp(ms)), ms: clamp(ms) } : instantOf(ms, fraction);
}

function clamp(ms: number): number {
  return Math.min(LAST, Math.max(FIRST, ms));
}

/** `fraction` has the digits of the fractional second. */
function instantOf(ms: number, fraction: string): Instant {
  return {
    text: `${new Date(ms).toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`,
    ms: ms + Number(fraction.slice(0, 3).padEnd(3, '0')),
  };
}

/** Formats Unix milliseconds as `Instant.text`. */
export function instantText(ms: number): string {
  return instantOf(ms - (ms % 1_000), String(ms % 1_000).padStart(3, '0')).text;
}
