import { createOffsetReader } from '../../domain/time-zone.ts';
import { UsageError } from '../cli/errors.ts';

const DAY_MS = 86_400_000;
const FORM = 'YYYY-MM-DDTHH:MM, as 2026-11-22T16:00, or with an offset, as 2026-11-22T16:00-03:00';

/**
 * Parses an instant, in local time of the time zone unless it has an offset.
 *
 * @throws UsageError for what is no time, and for a local time that daylight saving skips or repeats.
 */
export function readEventTime(option: string, text: string, timeZone: string): Date {
  const [, date, time = '', offset] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const asUtcMs = Date.parse(`${date}T${time}Z`);
  // Date.parse takes 30 February for a day in March.
  const isReal = Number.isFinite(asUtcMs) && new Date(asUtcMs).toISOString().startsWith(`${date}T${time}`);
  if (!isReal) throw new UsageError(`${option} is "${text}", which is no time: write it as ${FORM}.`);
  if (offset !== undefined) {
    const instant = new Date(`${date}T${time}${offset}`);
    if (Number.isNaN(instant.getTime()))
      throw new UsageError(`${option} is "${text}": no clock is ${offset}.`);
    return instant;
  }
  const utcOffsetAt = createOffsetReader(timeZone);
  const offsets = new Set([asUtcMs - DAY_MS, asUtcMs + DAY_MS].map(utcOffsetAt));
  const instants = [...offsets]
    .map((offsetMs) => ({ offsetMs, unixMs: asUtcMs - offsetMs }))
    .filter(({ offsetMs, unixMs }) => utcOffsetAt(unixMs) === offsetMs);
  const [first, second] = instants;
  if (!first) {
    throw new UsageError(
      `${option} is "${text}", which clocks in ${timeZone} never show: they are set forward then. Name the time that they do show.`,
    );
  }
  if (second) {
    const both = instants.map(({ offsetMs }) => `${date}T${time}${offsetText(offsetMs)}`);
    throw new UsageError(
      `${option} is "${text}", which clocks in ${timeZone} show twice, as they are set back then: write ${both.join(' or ')}.`,
    );
  }
  return new Date(first.unixMs);
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offsetMs < 0 ? '-' : '+'}${parts.join(':')}`;
}

/** Returns '2026-11-22 16:00', in the time zone. A database has years that no `Date` has. */
export function formatEventTime(instant: Date, timeZone: string): string {
  if (Number.isNaN(instant.getTime())) return 'a year out of range';
  const local = new Date(instant.getTime() + createOffsetReader(timeZone)(instant.getTime()));
  const [date = '', time = ''] = local.toISOString().split('T');
  return `${date} ${time.slice(0, time.startsWith(':00', 5) ? 5 : 8)}`;
}
