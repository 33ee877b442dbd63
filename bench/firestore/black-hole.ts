import { setTimeout as sleep } from 'node:timers/promises';
import { startNetwork } from '../../testing/server/network.ts';
import { defineBenchmark, type Scope } from '../benchmark.ts';
import { figure } from '../report/figure.ts';
import { clockMs } from '../support/clock.ts';
import { openFirstClient } from '../support/server.ts';
import { closeKitWith } from './close-kit.ts';
import { openScreens, startBoard } from './contenders.ts';
import { type Place, startStandIn } from './place.ts';
import { STADIUM } from './sale.ts';

const ENTERED = 1_000;
const PER_SECOND = 4;
const LOOK_EVERY_MS = 50;
const MOST_STALE_S = 5;
const MOST_BACK_S = 3;

/** What a screen shows, and whether it says that this is old; `undefined`: it has no way to say so. */
interface Shown {
  readonly total: number;
  readonly isStale: boolean | undefined;
}

interface HoleSample {
  /** From the beginning of the black hole until the screen said so; the length of the hole where it did not. */
  readonly saysSoAfterS: number;
  /** Who entered meanwhile and was not counted at the end of the hole, though the screen took its number for live. */
  readonly unsaid: number;
  /** From the network's return to the right number; the limit where it did not come. */
  readonly rightAfterS: number;
}

const CONTENDERS = ['spec', 'listener', 'board'] as const;

/** Nothing passes and nothing is closed, and the connections of before stay dead. */
export const blackHole = defineBenchmark({
  name: 'firestore',
  what: 'a black hole, in which holders enter: what each shows, and when it is right again',
  full: { rounds: 1, holeS: 30, limitS: 30 },
  quick: { rounds: 1, holeS: 8, limitS: 5 },

  setUp: async () => ({}),
  groups: () => [[{ name: 'all' }]],
  async measure(_setup, _all, { scale: { holeS, limitS }, ...run }) {
    closeKitWith(run);
    const place = await startStandIn(run, { tickets: STADIUM, entered: ENTERED });
    const network = await startNetwork(`http://${place.host}`);
    run.stops.push(() => network.close());
    const behind = { ...place, host: `127.0.0.1:${network.port}` };
    const looks = new Map<string, () => Promise<Shown>>();
    for (const name of CONTENDERS) looks.set(name, await openLook(run, name, behind));
    const rightAtFirst = await untilRight(looks, ENTERED, run.signal, 60);
    if (rightAtFirst.size < looks.size) throw new Error('a screen has no counts after a minute');
    network.swallow();
    const begunAtMs = clockMs();
    const durationMs = 1_000 * holeS;
    const admitting = place.admit({ perSecond: PER_SECOND, durationMs, seed: 1 });
    const saidAtMs = new Map<string, number>();
    while (clockMs() < begunAtMs + durationMs) {
      for (const [name, look] of looks)
        if (!saidAtMs.has(name) && (await look()).isStale === true) saidAtMs.set(name, clockMs());
      await sleep(LOOK_EVERY_MS, undefined, { signal: run.signal });
    }
    const entered = (await admitting).at(-1)?.total ?? ENTERED;
    const unsaid = new Map<string, number>();
    for (const [name, look] of looks) {
      const { total, isStale } = await look();
      unsaid.set(name, isStale === true ? 0 : entered - total);
    }
    network.restore();
    const rightAfterS = await untilRight(looks, entered, run.signal, limitS);
    return Object.fromEntries(
      CONTENDERS.map((name): [string, HoleSample] => [
        name,
        {
          saysSoAfterS: ((saidAtMs.get(name) ?? begunAtMs + durationMs) - begunAtMs) / 1_000,
          unsaid: unsaid.get(name) ?? NaN,
          rightAfterS: rightAfterS.get(name) ?? limitS,
        },
      ]),
    ) as Record<(typeof CONTENDERS)[number], HoleSample>;
  },
  describe: (sample) =>
    CONTENDERS.map((name) => {
      const { saysSoAfterS, unsaid, rightAfterS } = sample[name];
      return `${name}: says so after ${saysSoAfterS.toFixed(1)} s, ${unsaid} unsaid, right after ${rightAfterS.toFixed(1)} s`;
    }).join(' · '),
  figures: ({ all }, { holeS, limitS }) =>
    CONTENDERS.flatMap((name) => {
      const samples = all[name];
      const isBoard = name === 'board';
      return [
        figure(
          `black hole of ${holeS} s → says so, ${name}${isBoard ? '' : ` (${holeS}: never)`}`,
          's',
          samples.map(({ saysSoAfterS }) => saysSoAfterS),
          isBoard ? { atMost: MOST_STALE_S } : undefined,
        ),
        figure(
          `entered, not counted, and shown as if they were, at its end, ${name}`,
          'admissions',
          samples.map(({ unsaid }) => unsaid),
          isBoard ? { atMost: 0 } : undefined,
        ),
        figure(
          `its end → right, ${name}${isBoard ? '' : ` (${limitS}: not by then)`}`,
          's',
          samples.map(({ rightAfterS }) => rightAfterS),
          isBoard ? { atMost: MOST_BACK_S } : undefined,
        ),
      ];
    }),
});

async function openLook(
  scope: Scope,
  name: (typeof CONTENDERS)[number],
  place: Place,
): Promise<() => Promise<Shown>> {
  if (name !== 'board') {
    const screens = await openScreens(scope, name, place, 1);
    return async () => ({ total: (await screens.totals())[0] ?? NaN, isStale: undefined });
  }
  const { client } = await openFirstClient(scope, await startBoard(scope, place));
  return async () => ({ total: client.counts?.total ?? NaN, isStale: !client.live });
}

/** Waits until all show this total, and as live, or for so long. Returns after how many seconds each did. */
async function untilRight(
  looks: ReadonlyMap<string, () => Promise<Shown>>,
  entered: number,
  signal: AbortSignal,
  limitS: number,
): Promise<Map<string, number>> {
  const begunAtMs = clockMs();
  const rightAfterS = new Map<string, number>();
  while (rightAfterS.size < looks.size && clockMs() < begunAtMs + 1_000 * limitS) {
    for (const [name, look] of looks) {
      const { total, isStale } = await look();
      if (!rightAfterS.has(name) && total === entered && isStale !== true)
        rightAfterS.set(name, (clockMs() - begunAtMs) / 1_000);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  return rightAfterS;
}
