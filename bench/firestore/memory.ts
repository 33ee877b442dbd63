import { setTimeout as sleep } from 'node:timers/promises';
import { callerOf } from '../../testing/server/rpc.ts';
import { defineBenchmark } from '../benchmark.ts';
import { figure, ratio } from '../report/figure.ts';
import { formatNumber } from '../report/table.ts';
import { startProgram } from '../support/child-program.ts';
import { openFirstClient } from '../support/server.ts';
import { startBoard } from './contenders.ts';
import { startStandIn } from './place.ts';

const CONTENDERS = ['board', 'listener'] as const;
const [LEAST, MOST] = [1_000, 100_000];
const PROBE = new URL('memory-probe.js', import.meta.url).href;
/** Until memory is what a server keeps, not what its start left behind. */
const SETTLE_MS = 1_500;

const MOST_GROWTH_MB = 30;
const MOST_RESIDENT = 0.7;

const nameOf = (contender: string, tickets: number): string =>
  `${contender}, ${formatNumber(tickets)} tickets`;
const VARIANTS = CONTENDERS.flatMap((contender) =>
  [LEAST, MOST].map((tickets) => ({ name: nameOf(contender, tickets), contender, tickets })),
);

interface MemorySample {
  /** Heap and external, after a garbage collection. */
  readonly usedMb: number;
  /** Resident before it. */
  readonly residentMb: number;
}

/** What a server holds of each ticket. */
export const memory = defineBenchmark({
  name: 'firestore',
  what: 'heap and external after garbage collection, and resident memory, on the stand-in',
  full: { rounds: 5 },
  quick: { rounds: 1 },

  setUp: async () => ({}),
  groups: () => [VARIANTS],
  async measure(_setup, { contender, tickets }, run): Promise<MemorySample> {
    const place = await startStandIn(run, { tickets, entered: tickets / 2 });
    if (contender === 'board') {
      const options = { nodeOptions: [`--import=${PROBE}`], ipc: true };
      const server = await startBoard(run, place, options);
      await openFirstClient(run, server);
      await sleep(SETTLE_MS, undefined, { signal: run.signal });
      const residentMb = server.usage.memoryMb();
      const call = callerOf(server.child, run.signal, () => server.stderr());
      return { residentMb, usedMb: await call<number>('usedMb') };
    }
    const { usage, call } = startProgram(run, '../firestore/listener-process.js');
    await call('listen', place.host);
    await sleep(SETTLE_MS, undefined, { signal: run.signal });
    const residentMb = usage.memoryMb();
    return { residentMb, usedMb: await call<number>('usedMb') };
  },
  describe: ({ usedMb, residentMb }) => `${usedMb.toFixed(1)} MB used, ${residentMb.toFixed(0)} MB resident`,
  figures({ of }) {
    const growthOf = (contender: string): number[] => {
      const least = of(nameOf(contender, LEAST)).usedMb;
      return of(nameOf(contender, MOST)).usedMb.map((usedMb, round) => usedMb - (least[round] ?? NaN));
    };
    const growth = 'heap and external after garbage collection, 100,000 less 1,000 tickets';
    const [board, listener] = CONTENDERS.map((contender) => of(nameOf(contender, MOST)).residentMb);
    return [
      figure(`${growth}, board`, 'MB', growthOf('board'), { atMost: MOST_GROWTH_MB }),
      figure(`${growth}, listener`, 'MB', growthOf('listener')),
      ...VARIANTS.map(({ name }) => figure(`resident memory, ${name}`, 'MB', of(name).residentMb)),
      ratio('resident memory, board ÷ listener, 100,000 tickets', board ?? [], listener ?? [], {
        atMost: MOST_RESIDENT,
      }),
    ];
  },
});
