import { type ProcessUsage, usageOf } from '../../testing/server/process-usage.ts';
import { median, type Point, slope } from '../../testing/statistics.ts';

/** Memory and open files of a process, or of several together, and of those that took its place. */
export interface ProcessSamples {
  readonly name: string;
  /**
   * Measures both. Samples are comparable when taken in the same situation; those of a process that has not settled count
   * for the largest only.
   */
  sample(isSettled: boolean): void;
  /** In MB. `undefined`: not measured, as where the system has no /proc. */
  readonly largestMemoryMb: number | undefined;
  /** Growth per hour over all runs, by the samples. */
  growthPerHour(of: Measured): number | undefined;
  /** The median of each five minutes since it began, settled or not. */
  everyFiveMinutes(of: Measured): readonly number[];
}

type Measured = 'memoryMb' | 'openFiles';

export interface SampledProcesses {
  readonly name: string;
  /** Of those that run now. */
  readonly pids: () => readonly number[];
}

const HOUR_MS = 3_600_000;
const WINDOW_MS = 5 * 60_000;

export function sampleProcesses({ name, pids }: SampledProcesses): ProcessSamples {
  const points = { memoryMb: [] as Point[], openFiles: [] as Point[] };
  const windows = { memoryMb: [] as number[][], openFiles: [] as number[][] };
  const firstMs = performance.now();
  /** Their ids; the last are those that run. */
  const runs: string[] = [];
  let largestMemoryMb: number | undefined;
  return {
    name,
    sample(isSettled) {
      const x = performance.now();
      try {
        const now = pids();
        const sumOf = (of: (usage: ProcessUsage) => number): number =>
          now.reduce((sum, pid) => sum + of(usageOf(pid)), 0);
        const [memory, files] = [sumOf((one) => one.memoryMb()), sumOf((one) => one.openFiles())];
        largestMemoryMb = Math.max(memory, largestMemoryMb ?? 0);
        const window = Math.floor((x - firstMs) / WINDOW_MS);
        (windows.memoryMb[window] ??= []).push(memory);
        (windows.openFiles[window] ??= []).push(files);
        if (!isSettled) return;
        if (now.join() !== runs.at(-1)) runs.push(now.join());
        const series = runs.length;
        points.memoryMb.push({ x, y: memory, series });
        points.openFiles.push({ x, y: files, series });
      } catch {
        // It has just ended, or the system has no /proc.
      }
    },
    get largestMemoryMb() {
      return largestMemoryMb;
    },
    growthPerHour(of) {
      const growth = slope(points[of]);
      return growth === undefined ? undefined : growth * HOUR_MS;
    },
    // One that was skipped is none.
    everyFiveMinutes: (of) => windows[of].filter(Boolean).map(median),
  };
}
