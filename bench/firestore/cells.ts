import { defineBenchmark, type Scope } from '../benchmark.ts';
import { type Figure, figure } from '../report/figure.ts';
import { formatNumber } from '../report/table.ts';
import { type AdmitSample, admitTo } from './admit.ts';
import { type ContenderName, openScreens } from './contenders.ts';
import { type Place, startEmulator, startStandIn } from './place.ts';
import { type Sale, STADIUM } from './sale.ts';
import type { Screens } from './screens.ts';

/** A place, how many have entered at first, and how many come. */
interface Cell extends Sale {
  readonly on: 'stand-in' | 'emulator';
  readonly screens: number;
  readonly perSecond: number;
  /** `spec` is left out where its screens would need an hour of this machine. */
  readonly contenders: readonly Contender[];
}

type Contender = Exclude<ContenderName, 'floor'>;
type Variant = Cell & { readonly name: string; readonly contender: Contender };

const ALL = ['spec', 'listener', 'board'] as const;
const stadium = (
  entered: number,
  screens: number,
  perSecond: number,
  contenders: readonly Contender[] = ALL,
): Cell => ({ on: 'stand-in', tickets: STADIUM, entered, screens, perSecond, contenders });

/** The emulator sends all tickets again at every change. */
const EMULATOR: Cell = {
  on: 'emulator',
  tickets: 200,
  entered: 100,
  screens: 1,
  perSecond: 4,
  contenders: ALL,
};
const CELLS: readonly Cell[] = [
  EMULATOR,
  stadium(0, 1, 50),
  stadium(0, 10, 50),
  stadium(5_000, 1, 15),
  stadium(20_000, 1, 15),
  stadium(40_000, 1, 4),
  stadium(40_000, 10, 50, ['listener', 'board']),
];
const QUICK_CELLS: readonly Cell[] = [EMULATOR, stadium(0, 2, 15), stadium(2_000, 1, 15)];

const WARM_UP_MS = 1_500;
/** What has not come so long after the last commit is missing. */
const WAIT_MS = 10_000;
/** After the first ones: whoever has fallen behind by then stays behind. */
const WARM_UP_WAIT_MS = 2_000;
const MOST_BODY_BYTES = 1_500;

interface CellSample extends AdmitSample {
  readonly tookMs: number;
  readonly bytes: number;
  readonly firstDocuments: number;
}

const COLUMNS: readonly (readonly [keyof CellSample, string, string])[] = [
  ['tookMs', 'to first counts', 'ms'],
  ['bytes', 'bytes to first counts', 'B'],
  ['firstDocuments', 'documents read to first counts', 'documents'],
  ['documents', 'documents read per admission and screen', 'documents'],
  ['p50Ms', 'commit → screen, p50', 'ms'],
  ['p99Ms', 'commit → screen, p99', 'ms'],
  ['missing', 'admissions that had not come 10 s after the last', '×'],
  ['cpuMs', 'processor time per admission', 'ms'],
  ['memoryMb', 'memory', 'MB'],
];

/** Where each of three designs breaks, as more have entered, more screens look and more come. */
export const cells = defineBenchmark({
  name: 'firestore',
  what: "the specification's own design with a process for each screen, one official listener in a server, and the board",
  full: { rounds: 2, windowMs: 6_000, cells: CELLS },
  quick: { rounds: 1, windowMs: 2_000, cells: QUICK_CELLS },

  setUp: async () => ({}),
  groups: ({ cells: all }) => all.map(variantsOf),
  async measure(_setup, variant, { scale, round, ...run }): Promise<CellSample> {
    const place = await startPlace(run, variant);
    const screens: Screens = await openScreens(run, variant.contender, place, variant.screens);
    const { perSecond } = variant;
    await admitTo(run, place, screens, { perSecond, durationMs: WARM_UP_MS, seed: round }, WARM_UP_WAIT_MS);
    const load = { perSecond, durationMs: scale.windowMs, seed: 1_000 * round + perSecond };
    const admitted = await admitTo(run, place, screens, load, WAIT_MS);
    const { tookMs, bytes, documents: firstDocuments } = screens.first;
    return { ...admitted, tookMs, bytes, firstDocuments };
  },
  describe: ({ tookMs, p50Ms, p99Ms, missing, memoryMb }) =>
    `first counts ${tookMs.toFixed(0)} ms, p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms, ` +
    `${(100 * missing).toFixed(0)} % missing, ${memoryMb.toFixed(0)} MB`,
  figures({ of }, { cells: all }) {
    return all.flatMap((cell) =>
      variantsOf(cell).flatMap(({ name, contender }): Figure[] => {
        const samples = of(name);
        return COLUMNS.flatMap(([key, what, unit]) => {
          const values = samples[key];
          if (values.some(Number.isNaN)) return [];
          return [figure(`${what}, ${name}`, unit, values, targetOf(contender, key))];
        });
      }),
    );
  },
});

function targetOf(contender: Contender, key: keyof CellSample): { readonly atMost: number } | undefined {
  if (contender !== 'board') return undefined;
  if (key === 'bytes') return { atMost: MOST_BODY_BYTES };
  return key === 'firstDocuments' ? { atMost: 0 } : undefined;
}

function variantsOf(cell: Cell): Variant[] {
  const { on, tickets, entered, screens, perSecond, contenders } = cell;
  const of = on === 'emulator' ? `${formatNumber(entered)} of ${tickets} in` : `${formatNumber(entered)} in`;
  const watched = `${screens} ${screens === 1 ? 'screen' : 'screens'}`;
  return contenders.map((contender) => {
    const name = `${contender}, ${on}, ${of}, ${watched}, ${perSecond}/s`;
    return { on, tickets, entered, screens, perSecond, contenders, contender, name };
  });
}

function startPlace(scope: Scope, { on, tickets, entered }: Cell): Promise<Place> {
  return on === 'emulator'
    ? startEmulator(scope, { tickets, entered })
    : startStandIn(scope, { tickets, entered });
}
