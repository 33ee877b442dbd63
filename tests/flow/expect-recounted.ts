import { expect } from 'vitest';
import type postgres from 'postgres';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { until } from '../../testing/until.ts';
import type { RecountedMinute, TicketHistory } from '../../testing/sources/ticket-history.ts';

/** A minute of a sector as it stands in the record. */
export interface RecordedMinute {
  readonly minuteMs: number;
  readonly sector: string;
  readonly admitted: number;
  readonly net: number;
  readonly entered: number | null;
  readonly reverted: number | null;
  readonly moved: number | null;
  readonly valid: number;
}

/**
 * Before a server lost sight of the tickets: what it had been told since its last look at the clock, and what might still
 * have been about to be written.
 */
export const UNWATCHED_BEFORE_MS = 4_000;

/** From and to in flow time: nobody may have watched then. */
export interface Away {
  readonly fromMs: number;
  readonly toMs: number;
}

export async function readRecordedMinutes(admin: postgres.Sql): Promise<RecordedMinute[]> {
  return admin<RecordedMinute[]>`
    select extract(epoch from minute)::float8 * 1000 as "minuteMs", sector, admitted, net, entered, reverted, moved, valid
    from triagem.minutes where event_id = ${DEFAULT_EVENT_ID} and source = 'live' order by minute, sector collate "C"`;
}

/** Until a minute is recorded that begins after this instant of the flow. */
export function untilRecorded(admin: postgres.Sql, flowMs: number): Promise<void> {
  return until(async () => {
    expect((await readRecordedMinutes(admin)).at(-1)?.minuteMs).toBeGreaterThan(flowMs);
  }, 90_000);
}

/**
 * The recorded minutes are those of a recount by SQL over commit times; those that are missing touch a time when nobody
 * watched, and no other is; and the log's gaps are just these. `watchedFromMs`: in flow time, the first minute that begins
 * then or later is recorded. Waits until all of it holds: whoever watched a minute that the writer has not may take its
 * turn a little later, and says only then what is missing. `watchedElsewhere`: minutes of a primary that was left, which
 * may stand in the record where nobody watched the one that leads. Returns how many minutes were compared, and missing.
 */
export async function expectRecounted(
  ...asked: Parameters<typeof compareWithRecount>
): ReturnType<typeof compareWithRecount> {
  let compared = { compared: 0, missing: 0 };
  await until(async () => {
    compared = await compareWithRecount(...asked);
  });
  return compared;
}

async function compareWithRecount(
  admin: postgres.Sql,
  history: TicketHistory,
  away: readonly Away[],
  clock: { readonly sinceMs: number; readonly speed: number },
  watchedFromMs = Number.POSITIVE_INFINITY,
  watchedElsewhere: readonly RecountedMinute[] = [],
): Promise<{ readonly compared: number; readonly missing: number }> {
  const recorded = await readRecordedMinutes(admin);
  const times = [...new Set(recorded.map(({ minuteMs }) => minuteMs))];
  const [firstMs = 0, lastMs = 0] = [times[0], times.at(-1)];
  expect(firstMs).toBeLessThan(watchedFromMs + MINUTE_MS);
  // Each minute whole: all its sectors, once.
  expect(recorded.length).toBe(times.length * (DEFAULT_VENUE.sectors.length + 1));

  const recounted = await history.recount({
    eventId: DEFAULT_EVENT_ID,
    rows: DEFAULT_VENUE.sectors,
    fromMs: firstMs,
    toMs: lastMs + MINUTE_MS,
    clock,
  });
  const touchesAway = (minuteMs: number): boolean =>
    away.some(({ fromMs, toMs }) => minuteMs <= toMs && minuteMs + MINUTE_MS >= fromMs);
  const byKey = new Map(recounted.map((minute) => [keyOf(minute), minute]));
  const wrong = recorded.filter((minute) => {
    const isAway = touchesAway(minute.minuteMs);
    const elsewhere = (minuteMs: number): readonly RecountedMinute[] =>
      watchedElsewhere.filter((other) => isAway && keyOf(other) === keyOf({ ...minute, minuteMs }));
    const truth = byKey.get(keyOf(minute));
    const truths = [truth, ...elsewhere(minute.minuteMs)];
    if (truths.some((each) => each && agrees(minute, each, isAway))) return false;
    const before = elsewhere(minute.minuteMs - MINUTE_MS);
    return !truth || !before.some((each) => isStepFrom(each, minute, truth));
  });
  expect(wrong.map((minute) => [minute, byKey.get(keyOf(minute))])).toEqual([]);

  const known = new Set(times);
  const missing: number[] = [];
  for (let minuteMs = firstMs; minuteMs < lastMs; minuteMs += MINUTE_MS) {
    if (!known.has(minuteMs)) missing.push(minuteMs);
  }
  expect(missing.filter((minuteMs) => !touchesAway(minuteMs))).toEqual([]);
  const gaps = await readGaps(admin);
  if (watchedElsewhere.length === 0) expect(gaps).toEqual(runsOf(missing));
  // What was watched elsewhere may be written once it is known as missing.
  const isKnown = (ms: number): boolean => gaps.some(({ fromMs, toMs }) => ms >= fromMs && ms < toMs);
  expect(missing.filter((minuteMs) => !isKnown(minuteMs))).toEqual([]);
  expect(gaps.filter(({ fromMs }) => !touchesAway(fromMs))).toEqual([]);
  return { compared: times.length, missing: missing.length };
}

function keyOf({ minuteMs, sector }: Pick<RecountedMinute, 'minuteMs' | 'sector'>): string {
  return `${minuteMs} ${sector}`;
}

/** Entered, reverted and moved are unknown where watching was interrupted, and nowhere else. */
function agrees(recorded: RecordedMinute, truth: RecountedMinute, mayBeInterrupted: boolean): boolean {
  const { entered, reverted, moved } = recorded;
  const isUnknown = entered === null && reverted === null && moved === null;
  return (
    recorded.admitted === truth.admitted &&
    recorded.valid === truth.valid &&
    recorded.net === truth.entered - truth.reverted + truth.moved &&
    (isUnknown
      ? mayBeInterrupted
      : entered === truth.entered && reverted === truth.reverted && moved === truth.moved)
  );
}

/** Whether a minute began at one primary, as its recount says, and ended at the next one: its net is the step between them. */
function isStepFrom(before: RecountedMinute, recorded: RecordedMinute, truth: RecountedMinute): boolean {
  const net = truth.admitted - before.admitted;
  return (
    recorded.entered === null && agrees(recorded, { ...truth, entered: net, reverted: 0, moved: 0 }, true)
  );
}

async function readGaps(admin: postgres.Sql): Promise<Away[]> {
  const rows = await admin<{ data: Away }[]>`
    select data from triagem.log where event_id = ${DEFAULT_EVENT_ID} and kind = 'gap' order by (data ->> 'fromMs')::float8`;
  return rows.map(({ data: { fromMs, toMs } }) => ({ fromMs, toMs }));
}

/** Minutes that follow each other, as spans. */
function runsOf(minutesMs: readonly number[]): Away[] {
  const runs: { fromMs: number; toMs: number }[] = [];
  for (const minuteMs of minutesMs) {
    const last = runs.at(-1);
    if (last?.toMs === minuteMs) last.toMs += MINUTE_MS;
    else runs.push({ fromMs: minuteMs, toMs: minuteMs + MINUTE_MS });
  }
  return runs;
}
