import { setTimeout as sleep } from 'node:timers/promises';
import type { Counts } from '../domain/event-state.ts';
import { DEFAULT_VENUE, sectorCodesOf } from '../domain/venue.ts';
import { defineBenchmark } from './benchmark.ts';
import { gatherCrowd } from './many-events/crowd.ts';
import { type Fleet, startFleet } from './many-events/fleet.ts';
import type { Opening, Shown } from './many-events/screens-process.ts';
import { figure } from './report/figure.ts';
import { startProgram } from './support/child-program.ts';

const COMMITS_PER_EVENT = 2;
/** Of the commits that were to come, so many must have: fewer say nothing of the load. */
const ENOUGH = 0.98;
const SETTLE_MS = 250;
const SETTLE_LIMIT_MS = 30_000;

interface Variant {
  readonly name: string;
  /** Of each event, in a second. */
  readonly commits: number;
}

const VARIANTS: readonly Variant[] = [
  { name: 'at rest', commits: 0 },
  { name: `${COMMITS_PER_EVENT} commits a second`, commits: COMMITS_PER_EVENT },
];

/** What many events cost a counter and an edge, with one screen each, and whether every screen is exact. */
export const manyEvents = defineBenchmark({
  name: 'many-events',
  what: 'many events on one counter and one edge, a screen each: at rest, and with two commits a second in every one',
  full: { rounds: 3, events: 1_000, warmUpS: 10, windowS: 40 },
  quick: { rounds: 1, events: 100, warmUpS: 2, windowS: 5 },

  async setUp(run) {
    const { events, rounds, warmUpS, windowS } = run.scale;
    const fleet = await startFleet(run, events, COMMITS_PER_EVENT * rounds * (warmUpS + windowS));
    const screens = startProgram(run, '../many-events/screens-process.js');
    const hosts = fleet.events.map(({ host }) => host);
    await screens.call('open', { url: fleet.edge.url, hosts } satisfies Opening);
    const eventIds = fleet.events.map(({ eventId }) => eventId);
    return { fleet, screens, crowd: await gatherCrowd(run, fleet.database, eventIds) };
  },
  groups: () => [VARIANTS],
  async measure({ fleet, screens, crowd }, { commits }: Variant, { scale, signal }) {
    const { counter, edge, nats, events } = fleet;
    const perSecond = commits * events.length;
    await crowd.admitFor(scale.warmUpS, perSecond);
    const processes = { counter: counter.usage, edge: edge.usage, nats: nats.usage };
    const look = (): Look => ({
      atMs: performance.now(),
      cpuMs: [counter.usage.cpuMs(), edge.usage.cpuMs(), nats.usage.cpuMs()],
      memoryMb: [processes.counter.memoryMb(), processes.edge.memoryMb()],
    });
    const framesBefore = await screens.call<number>('frames');
    const before = look();
    const commitsPerS = await crowd.admitFor(scale.windowS, perSecond);
    const after = look();
    const frames = (await screens.call<number>('frames')) - framesBefore;
    const passedMs = after.atMs - before.atMs;
    const share = (process: number): number =>
      (((after.cpuMs[process] ?? NaN) - (before.cpuMs[process] ?? NaN)) / passedMs) * 100;
    return {
      commitsPerS,
      framesPerS: (frames * 1_000) / passedMs,
      counterShare: share(0),
      edgeShare: share(1),
      natsShare: share(2),
      counterMb: after.memoryMb[0] ?? NaN,
      edgeMb: after.memoryMb[1] ?? NaN,
      counterGrowthMb: (after.memoryMb[0] ?? NaN) - (before.memoryMb[0] ?? NaN),
      edgeGrowthMb: (after.memoryMb[1] ?? NaN) - (before.memoryMb[1] ?? NaN),
      wrong: await countWrong(fleet, () => screens.call('shown'), signal),
    };
  },
  describe: ({ commitsPerS, framesPerS, counterShare, edgeShare, natsShare, counterMb, edgeMb, wrong }) =>
    `${commitsPerS.toFixed(0)} commits/s, ${framesPerS.toFixed(0)} frames/s · counter ${counterShare.toFixed(0)} %, ` +
    `${counterMb.toFixed(0)} MB · edge ${edgeShare.toFixed(0)} %, ${edgeMb.toFixed(0)} MB · NATS ${natsShare.toFixed(0)} % · ` +
    `${wrong} screens wrong`,
  figures: (samples, { events }) =>
    VARIANTS.flatMap(({ name, commits }) => {
      const of = samples.of(name);
      const what = (text: string): string => `${events} events ${name}: ${text}`;
      const asked = commits * events;
      // Beyond its share at rest, a process has as much to do as there are commits.
      const rest = samples.of('at rest');
      const atAsked = (key: 'counterShare' | 'edgeShare'): number[] =>
        of[key].map((share, round) => {
          const atRest = rest[key][round] ?? NaN;
          return asked === 0 ? share : atRest + ((share - atRest) * asked) / (of.commitsPerS[round] ?? NaN);
        });
      return [
        figure(what('commits'), '/s', of.commitsPerS, asked > 0 ? { atLeast: ENOUGH * asked } : undefined),
        figure(what('frames to all screens'), '/s', of.framesPerS),
        figure(what(`counter, of a processor, at ${asked} commits/s`), '%', atAsked('counterShare'), {
          atMost: 100,
        }),
        figure(what(`edge, of a processor, at ${asked} commits/s`), '%', atAsked('edgeShare')),
        figure(what('NATS, of a processor'), '%', of.natsShare),
        figure(what('counter, resident'), 'MB', of.counterMb),
        figure(what('edge, resident'), 'MB', of.edgeMb),
        figure(what('counter, growth in the window'), 'MB', of.counterGrowthMb),
        figure(what('edge, growth in the window'), 'MB', of.edgeGrowthMb),
        figure(what('screens that are not exact in the end'), '', of.wrong, { atMost: 0 }),
      ];
    }),
});

interface Look {
  readonly atMs: number;
  readonly cpuMs: readonly number[];
  readonly memoryMb: readonly number[];
}

/** How many screens do not show, live, what SQL counts, once nothing changes any more. */
async function countWrong(
  { database, events }: Fleet,
  shown: () => Promise<Shown[]>,
  signal: AbortSignal,
): Promise<number> {
  const rows = await database.admin<{ event_id: string; setor: string; count: string }[]>`
    select event_id, setor, count(*) as count from tickets where entrou group by event_id, setor`;
  const counted = new Map<string, Map<string, number>>();
  for (const { event_id: eventId, setor, count } of rows) {
    const ofEvent = counted.get(eventId) ?? new Map<string, number>();
    counted.set(eventId, ofEvent.set(setor, Number(count)));
  }
  const expected = events.map(({ eventId }) => countsOf(counted.get(eventId) ?? new Map()));
  for (const giveUpAtMs = performance.now() + SETTLE_LIMIT_MS; ;) {
    const screens = await shown();
    const wrong = expected.filter((counts, index) => !isExact(screens[index], counts)).length;
    if (wrong === 0 || performance.now() > giveUpAtMs) return wrong;
    await sleep(SETTLE_MS, undefined, { signal });
  }
}

/** Every ticket of these events is of a sector of the default venue. */
function countsOf(bySector: ReadonlyMap<string, number>): Counts {
  const sectors = Object.fromEntries(
    sectorCodesOf(DEFAULT_VENUE).map((code) => [code, bySector.get(code) ?? 0]),
  );
  return { total: [...bySector.values()].reduce((sum, count) => sum + count, 0), sectors, others: 0 };
}

function isExact(screen: Shown | undefined, counts: Counts): boolean {
  const codes = Object.keys(counts.sectors);
  return (
    screen?.live === true &&
    screen.counts?.total === counts.total &&
    screen.counts.others === counts.others &&
    codes.every((code) => screen.counts?.sectors[code] === counts.sectors[code])
  );
}
