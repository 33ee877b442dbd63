import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../testing/statistics.ts';
import type { Scope } from '../benchmark.ts';
import { clockMs } from '../support/clock.ts';
import { delaysUntil } from '../support/delays.ts';
import type { Load, Place } from './place.ts';
import { countsOf } from './sale.ts';
import type { Screens } from './screens.ts';

const LOOK_EVERY_MS = 50;

/** One load at the screens of a contender. */
export interface AdmitSample {
  /** From the commit to a screen. What has not come by the end counts with the time that it has waited. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the admissions, the share that had not come by then. */
  readonly missing: number;
  /** Processor time of an admission: of the server, or of one screen where there is none. */
  readonly cpuMs: number;
  readonly memoryMb: number;
  /** Documents read for an admission and a screen. */
  readonly documents: number;
}

/** Lets holders in, and waits until all screens have them, or so long. Throws where they then have other counts. */
export async function admitTo(
  { signal }: Scope,
  place: Place,
  screens: Screens,
  load: Load,
  waitMs: number,
): Promise<AdmitSample> {
  await screens.takeArrivals();
  const readsBefore = await place.reads();
  const cpuBefore = sumOf(screens, (usage) => usage.cpuMs());
  const admissions = await place.admit(load);
  const last = admissions.at(-1)?.total ?? 0;
  const untilMs = performance.now() + waitMs;
  const haveAll = async (): Promise<boolean> => (await screens.totals()).every((total) => total === last);
  while (!(await haveAll()) && performance.now() < untilMs) await sleep(LOOK_EVERY_MS, undefined, { signal });
  // One of many clients has the newest counts a little before the others.
  await sleep(LOOK_EVERY_MS, undefined, { signal });
  const endAtMs = clockMs();
  if (await haveAll()) await assertRight(screens, last);
  const cpuMs = sumOf(screens, (usage) => usage.cpuMs()) - cpuBefore;
  const arrivals = await screens.takeArrivals();
  const delays = arrivals.map((own) => delaysUntil(endAtMs, admissions, own));
  const delaysMs = delays.flatMap((own) => own.delaysMs);
  const missing = delays.reduce((sum, own) => sum + own.missing, 0);
  return {
    p50Ms: percentile(delaysMs, 0.5),
    p99Ms: percentile(delaysMs, 0.99),
    missing: missing / delaysMs.length,
    cpuMs: cpuMs / screens.usages.length / admissions.length,
    memoryMb: sumOf(screens, (usage) => usage.memoryMb()) / screens.usages.length,
    documents: ((await place.reads()) - readsBefore) / admissions.length / arrivals.length,
  };
}

function sumOf({ usages }: Screens, measure: (usage: Screens['usages'][number]) => number): number {
  return usages.reduce((sum, usage) => sum + measure(usage), 0);
}

async function assertRight(screens: Screens, entered: number): Promise<void> {
  const expected = countsOf(entered);
  for (const { total, sectors } of await screens.newest()) {
    // The floor knows no sectors.
    const wrong = Object.entries(sectors ?? expected.sectors).filter(
      ([code, count]) => count !== expected.sectors[code],
    );
    if (total !== expected.total || wrong.length > 0)
      throw new Error(`Wrong counts: ${JSON.stringify({ total, sectors })}, where ${entered} have entered`);
  }
}
