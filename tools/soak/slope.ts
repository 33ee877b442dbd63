/** What the server used at an instant of `performance.now()`. */
export interface Sample {
  /** Each start of the server is a run of its own. */
  readonly run: number;
  /** The run has left the time behind in which it grows to its size. */
  readonly isWarm: boolean;
  readonly atMs: number;
  readonly memoryMb: number;
  readonly files: number;
}

const HOUR_MS = 3_600_000;

/** Growth per hour of warm runs, by least squares: one slope for all runs, each with a level of its own. */
export function slopePerHour(
  samples: readonly Sample[],
  valueOf: (sample: Sample) => number,
): number | undefined {
  let covariance = 0;
  let variance = 0;
  const warm = samples.filter(({ isWarm }) => isWarm);
  for (const run of new Set(warm.map((sample) => sample.run))) {
    const own = warm.filter((sample) => sample.run === run);
    const meanAtMs = mean(own.map(({ atMs }) => atMs));
    const meanValue = mean(own.map(valueOf));
    for (const sample of own) {
      covariance += (sample.atMs - meanAtMs) * (valueOf(sample) - meanValue);
      variance += (sample.atMs - meanAtMs) ** 2;
    }
  }
  return variance > 0 ? (covariance / variance) * HOUR_MS : undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
