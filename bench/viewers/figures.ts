import { type Figure, figure, ratio, type Target } from '../report/figure.ts';
import { CONTENDERS, type ContenderName } from './contender.ts';
import type { RateSample } from './measure.ts';

/** So many viewers, at these rates. */
export interface Size {
  readonly viewers: number;
  readonly rates: readonly { readonly perSecond: number; readonly share: number }[];
}

/** Of all rounds. */
interface Samples {
  readonly kilobytesPerViewer: readonly number[];
  readonly rates: readonly (readonly RateSample[])[];
}

/** A full stadium's peak: a figure that names no rate is of this one. */
export const USUAL_PER_SECOND = 15;
/**
 * Of what bare bytes get, which is all that the kernel allows: of their 13 µs a frame the board may take 14, and following
 * the database and its heartbeats a twelfth of its time (docs/performance.md).
 */
const LEAST_OF_BARE_BYTES = 0.85;
const SIZE_OF_DELAY_LIMIT = 5_000;

export const withViewers = (viewers: number): string => `with ${viewers.toLocaleString('en')} viewers`;

/** `of`: of a contender with so many viewers. */
export function figuresOf(
  sizes: readonly Size[],
  of: (name: ContenderName, viewers: number) => Samples,
): Figure[] {
  return sizes.flatMap(({ viewers, rates }) => {
    const memory = CONTENDERS.map((name) => {
      const what = `memory per viewer, ${name}, ${withViewers(viewers)}`;
      const target = name === 'board' ? { atMost: 18 } : undefined;
      return figure(what, 'KB', of(name, viewers).kilobytesPerViewer, target);
    });
    const valuesAt =
      (rate: number) =>
      (name: ContenderName, key: keyof RateSample): number[] =>
        of(name, viewers).rates.map((samples) => samples[rate]?.[key] ?? NaN);
    const atRates = rates.map(({ perSecond }, rate) => figuresAt({ viewers, perSecond }, valuesAt(rate)));
    return [...memory, ...atRates.flat()];
  });
}

function figuresAt(
  { viewers, perSecond }: { readonly viewers: number; readonly perSecond: number },
  valuesOf: (name: ContenderName, key: keyof RateSample) => readonly number[],
): Figure[] {
  const isUsual = perSecond === USUAL_PER_SECOND;
  const where = isUsual ? withViewers(viewers) : `${withViewers(viewers)}, at ${perSecond}/s`;
  /** Only the board has something to reach. */
  const each = (what: string, unit: string, key: keyof RateSample, target?: Target): Figure[] =>
    CONTENDERS.map((name) => {
      const own = name === 'board' ? target : undefined;
      return figure(`${what}, ${name}, ${where}`, unit, valuesOf(name, key), own);
    });
  const framesBeside = (name: ContenderName, target?: Target): Figure => {
    const [ours, theirs] = [valuesOf('board', 'framesPerCpuSecond'), valuesOf(name, 'framesPerCpuSecond')];
    return ratio(`frames, board ÷ ${name}, ${where}`, ours, theirs, target);
  };
  const boardP99s = valuesOf('board', 'delayP99Ms');
  const others = CONTENDERS.filter((name) => name !== 'board').map((name) => valuesOf(name, 'delayP99Ms'));
  const quickest = boardP99s.map((_, round) => Math.min(...others.map((p99s) => p99s[round] ?? NaN)));
  const hasDelayLimit = viewers === SIZE_OF_DELAY_LIMIT;
  return [
    ...each('frames', 'frames/s per core', 'framesPerCpuSecond'),
    framesBeside('res.write'),
    framesBeside('ws'),
    framesBeside('bare bytes', { atLeast: LEAST_OF_BARE_BYTES }),
    ...each('frames that each viewer got', 'frames/s', 'framesPerSecond'),
    ...each(
      'commit → viewer, p99',
      'ms',
      'delayP99Ms',
      hasDelayLimit && isUsual ? { atMost: 250 } : undefined,
    ),
    ratio(
      `commit → viewer, p99, board ÷ the quickest of the others, ${where}`,
      boardP99s,
      quickest,
      hasDelayLimit ? { atMost: 1 } : undefined,
    ),
    ...each('fell behind by', 'ms', 'behindMs'),
    ...each('largest event-loop stall', 'ms', 'longestStallMs'),
  ];
}
