/** One line of the table. `values`: one per round, at least one. */
export interface Figure {
  readonly what: string; // 'commit → screen, p99, at 50/s'
  readonly unit: string; // 'ms', 'B', '×', 'frames/s per core', ...
  readonly values: readonly number[];
  /** What it has to reach; absent: told for comparison only. */
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
}
export interface Setting {
  /** A tenth or less of the work, to try the benchmark itself: its figures are not to be published. */
  readonly quick: boolean;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal; // Ctrl-C: end soon, leave nothing running
}
export interface Benchmark {
  readonly name: string; // 'latency'
  readonly what: string; // one line for --help and the table's heading
  readonly run: (setting: Setting) => Promise<readonly Figure[]>;
}
