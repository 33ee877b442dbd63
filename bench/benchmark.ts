import { type Columns, columnsOf, type Figure } from './report/figure.ts';
import { type Stop, withStops } from './support/stops.ts';

/** What `npm run bench` runs: made by defineBenchmark, and listed in benchmarks.ts. */
export interface Benchmark {
  readonly name: string; // 'latency'
  readonly what: string; // one line for --help and the table's heading
  readonly run: (options: RunOptions) => Promise<readonly Figure[]>;
}

interface RunOptions {
  /** A tenth or less of the work, to try the benchmark itself: its figures are not to be published. */
  readonly quick: boolean;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal; // Ctrl-C: end soon, leave nothing running
}

/** The time in which something that was started may run: at its end, or on Ctrl-C, it is stopped. */
export interface Scope {
  readonly signal: AbortSignal;
  readonly stops: Stop[];
}

interface Run<Scale> extends Scope {
  readonly scale: Scale;
  readonly progress: (line: string) => void;
}

type Rounds = { readonly rounds: number };
type Named = { readonly name: string };

/** The four things that a benchmark says, and how much of them `npm run bench` and `--quick` do. */
interface Definition<Scale extends Rounds, Setup, Variant extends Named, Sample extends object> {
  readonly name: string;
  readonly what: string;
  readonly full: Scale;
  readonly quick: Scale;
  /** What is set up, once. It is stopped after the last sample. */
  readonly setUp: (run: Run<Scale>) => Promise<Setup>;
  /** What is alternated: in each round, every variant of a group, one after the other. Groups follow each other. */
  readonly groups: (scale: Scale) => readonly (readonly Variant[])[];
  /** What is measured: one sample. What it starts is stopped after it. */
  readonly measure: (setup: Setup, variant: Variant, run: Run<Scale> & { round: number }) => Promise<Sample>;
  /** What is printed: of each sample while it runs, and of all at the end. */
  readonly describe: (sample: Sample) => string;
  readonly figures: (samples: Samples<Sample>, scale: Scale, setup: Setup) => readonly Figure[];
}

interface Samples<Sample> {
  /** Of every variant, in the order of the groups. */
  readonly all: Columns<Sample>;
  /** Of the variant with this name, in the order of rounds. */
  readonly of: (name: string) => Columns<Sample>;
}

export function defineBenchmark<Scale extends Rounds, Setup, Variant extends Named, Sample extends object>(
  definition: Definition<Scale, Setup, Variant, Sample>,
): Benchmark {
  const { name, what, full, quick, setUp, groups, measure, describe, figures } = definition;
  const run = ({ quick: isQuick, signal, progress }: RunOptions): Promise<readonly Figure[]> =>
    withStops(async (stops) => {
      const scale = isQuick ? quick : full;
      const setup = await setUp({ scale, signal, progress, stops });
      const samples: (Named & { readonly sample: Sample })[] = [];
      for (const group of groups(scale)) {
        for (let round = 0; round < scale.rounds; round += 1) {
          // Each round begins with another variant: none always has the freshest machine.
          const first = round % group.length;
          for (const variant of [...group.slice(first), ...group.slice(0, first)]) {
            signal.throwIfAborted();
            const sample = await withStops((own) =>
              measure(setup, variant, { scale, signal, progress, stops: own, round }),
            );
            samples.push({ name: variant.name, sample });
            progress(`round ${round + 1} of ${scale.rounds}, ${variant.name}: ${describe(sample)}`);
          }
        }
      }
      const of = (variant: string): Columns<Sample> => {
        const own = samples.filter((one) => one.name === variant);
        if (own.length === 0) throw new Error(`${name} has no variant "${variant}"`);
        return columnsOf(own.map(({ sample }) => sample));
      };
      return figures({ all: columnsOf(samples.map(({ sample }) => sample)), of }, scale, setup);
    });
  return { name, what, run };
}
