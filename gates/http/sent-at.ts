import { MAX_AHEAD_MS } from './limits.ts';

/** Of RFC 3339, without the leap second, which no clock here can say. */
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const FIRST_YEAR = 2000;

/**
 * An instant as text whose order is that of time: UTC, to the microsecond, as PostgreSQL keeps it.
 *
 * @throws Error that says what is wrong with it.
 */
export function readSentAt(text: string, nowMs: number): string {
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
    throw new Error('its at is no date and time with an offset, as 2025-03-26T20:15:00.123-03:00');
  }
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const ms = local - offsetMinutes * 60_000;
  if (Number(year) < FIRST_YEAR) throw new Error(`its at is before ${FIRST_YEAR}`);
  if (ms > nowMs + MAX_AHEAD_MS) {
    throw new Error(
      `its at is more than ${MAX_AHEAD_MS / 60_000} minutes ahead of this machine's clock: correct the one that is wrong`,
    );
  }
  return `${new Date(ms).toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}
