import { setTimeout as sleep } from 'node:timers/promises';
import { defineBenchmark } from '../benchmark.ts';
import { type Figure, figure, ratio } from '../report/figure.ts';
import { type AdmitSample, admitTo } from './admit.ts';
import { openScreens } from './contenders.ts';
import { type Place, startStandIn } from './place.ts';
import { STADIUM } from './sale.ts';
import type { Screens } from './screens.ts';

const CONTENDERS = ['board', 'listener', 'floor'] as const;
type Contender = (typeof CONTENDERS)[number];
const RATES = [15, 50] as const;
/** Programs that have just started are still being compiled; a board has been up for hours. */
const WARM_UP = { perSecond: 100, durationMs: 2_000 };
const WAIT_MS = 20_000;
/** Until a server has collected the garbage of its start: the library takes so long to. */
const SETTLE_MS = 20_000;

const MOST_P50_MS = 3;
const MOST_P99_MS = 15;
const MOST_ABOVE_FLOOR_MS = 1;
const MOST_ABOVE_LISTENER_MS = 0;
const MOST_CPU = 0.6;

/**
 * A full stadium, half of it in, and one screen: the board beside one listener of Google's library, and beside the least. In
 * each round all are started, each on a stand-in of its own, and measured in turn once they have settled.
 */
export const beside = defineBenchmark({
  name: 'firestore',
  what: 'commit → a plain client, admissions at random, on the stand-in: the board, one official listener, and the least',
  full: { rounds: 5, windowMs: 6_000, settleMs: SETTLE_MS },
  quick: { rounds: 1, windowMs: 2_000, settleMs: 1_000 },

  setUp: async () => ({}),
  groups: () => [[{ name: CONTENDERS.join(', ') }]],
  async measure(_setup, _all, { scale, round, ...run }) {
    const opened = new Map<Contender, { readonly place: Place; readonly screens: Screens }>();
    for (const name of CONTENDERS) {
      const place = await startStandIn(run, { tickets: STADIUM, entered: STADIUM / 2 });
      opened.set(name, { place, screens: await openScreens(run, name, place, 1) });
    }
    await sleep(scale.settleMs, undefined, { signal: run.signal });
    const first = round % CONTENDERS.length;
    const rates: Partial<Record<Contender, readonly AdmitSample[]>> = {};
    for (const name of [...CONTENDERS.slice(first), ...CONTENDERS.slice(0, first)]) {
      const { place, screens } = opened.get(name) ?? fail();
      await admitTo(run, place, screens, { ...WARM_UP, seed: round }, WAIT_MS);
      const own: AdmitSample[] = [];
      for (const perSecond of RATES) {
        const load = { perSecond, durationMs: scale.windowMs, seed: 1_000 * round + perSecond };
        own.push(await admitTo(run, place, screens, load, WAIT_MS));
      }
      rates[name] = own;
    }
    return { rates };
  },
  describe: ({ rates }) =>
    CONTENDERS.map((name) => {
      const each = (rates[name] ?? []).map(
        ({ p50Ms, p99Ms, cpuMs }, at) =>
          `${RATES[at]}/s p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)}, processor ${cpuMs.toFixed(2)} ms`,
      );
      return `${name}: ${each.join(' · ')}`;
    }).join(' | '),
  figures({ all }) {
    const valuesOf = (name: Contender, at: number, key: keyof AdmitSample): number[] =>
      all.rates.map((rates) => rates[name]?.[at]?.[key] ?? NaN);
    return RATES.flatMap((perSecond, at): Figure[] => {
      const where = `${perSecond}/s, stand-in, 43,680 tickets`;
      const delayOf = (key: 'p50Ms' | 'p99Ms', atMost: number): Figure[] =>
        CONTENDERS.map((name) => {
          const what = `commit → client, ${key === 'p50Ms' ? 'p50' : 'p99'}, ${name}, ${where}`;
          return figure(what, 'ms', valuesOf(name, at, key), name === 'board' ? { atMost } : undefined);
        });
      const boardLess = (name: 'floor' | 'listener', atMost: number): Figure => {
        const theirs = valuesOf(name, at, 'p50Ms');
        const more = valuesOf('board', at, 'p50Ms').map((ms, round) => ms - (theirs[round] ?? NaN));
        return figure(`commit → client, p50, board less ${name}, ${where}`, 'ms', more, { atMost });
      };
      const processor = 'processor time per admission';
      const each = CONTENDERS.map((name) =>
        figure(`${processor}, ${name}, ${where}`, 'ms', valuesOf(name, at, 'cpuMs')),
      );
      return delayOf('p50Ms', MOST_P50_MS).concat(
        delayOf('p99Ms', MOST_P99_MS),
        boardLess('floor', MOST_ABOVE_FLOOR_MS),
        boardLess('listener', MOST_ABOVE_LISTENER_MS),
        each,
        ratio(
          `${processor}, board ÷ listener, ${where}`,
          valuesOf('board', at, 'cpuMs'),
          valuesOf('listener', at, 'cpuMs'),
          { atMost: MOST_CPU },
        ),
      );
    });
  },
});

function fail(): never {
  throw new Error('unreachable: every contender has been opened');
}
