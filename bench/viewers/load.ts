import { clockMs } from '../support/clock.ts';
import { beginAtPace } from '../support/pace.ts';
import { randomGaps } from '../support/random-gaps.ts';
import type { Admission, Contender } from './contender.ts';

export interface Load {
  readonly perSecond: number;
  readonly windowS: number;
  /** Of the gaps between the holders. */
  readonly seed: number;
}

interface Loaded {
  /** Of all who came, in the order of their totals. */
  readonly admissions: readonly Admission[];
  /** Until the last was sent, or given up. */
  readonly tookS: number;
  /** By the machine's clock. */
  readonly endedAtMs: number;
}

/**
 * Who falls behind while holders come has so long to catch up; what is not sent by then never is. Without an end, who
 * sends each of 500 admissions a second to 5,000 viewers would take twenty times as long as they came.
 */
const CATCH_UP_MS = 1_000;

/** Holders come at random for a while. */
export async function letIn(
  { enter }: Pick<Contender, 'enter'>,
  { perSecond, windowS, seed }: Load,
  signal: AbortSignal,
): Promise<Loaded> {
  const over = new AbortController();
  const startMs = performance.now();
  const gapMs = randomGaps(perSecond, seed);
  const begun = await beginAtPace({ gapMs, times: perSecond * windowS, signal }, () => enter(over.signal));
  const limit = setTimeout(() => over.abort(), CATCH_UP_MS);
  const admissions = await Promise.all(begun).finally(() => clearTimeout(limit));
  return {
    admissions: admissions.toSorted((one, other) => one.total - other.total),
    tookS: (performance.now() - startMs) / 1_000,
    endedAtMs: clockMs(),
  };
}
