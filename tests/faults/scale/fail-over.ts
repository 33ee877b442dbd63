import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { positionOf } from '../../../domain/live-message.ts';
import type { TestCluster } from '../../../testing/cluster.ts';
import { recount, type TotalHistory } from '../../../testing/oracle.ts';
import type { Screen } from '../../../testing/screen.ts';
import { promote, startStandby, type TestPair, untilCaughtUp } from '../../../testing/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { startTicketWriter } from '../../../testing/ticket-writer.ts';
import { unixNow, until } from '../../../testing/until.ts';

/** After the promotion. */
const LIVE_WITHIN_MS = 3_000;
const TICKETS = 50_000;
/** How many more are in before the primary is killed, at 200 commits a second. */
const BEFORE_KILL = 800;

export interface Failovers {
  readonly count: number;
  /** Of the tickets, who enters next; default: the first one. */
  readonly first?: number;
  readonly screens: readonly Screen[];
  /** From before the screens were opened. */
  readonly oracle: TotalHistory;
  /** Until all that is looked at is live, with so many in at least. */
  readonly untilLive: (least: number) => Promise<void>;
  /** Until nothing of it is. */
  readonly untilStale: () => Promise<void>;
  /** Of all that serves the screens, for the stopwatch. */
  readonly pids: () => number[];
  /** All are live again, so long after the promotion by the clock. `killedAtMs`: Unix time. */
  readonly onLive?: (tookMs: number, killedAtMs: number) => Promise<void>;
}

/** What `failOver` lets in. */
export async function addTickets(pair: TestPair): Promise<void> {
  await pair.primary.database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, ${TICKETS}) n`;
  await untilCaughtUp(pair);
}

/**
 * Under 200 commits a second the primary is killed and its standby promoted, `count` times in turn; the former one returns
 * as a standby. Each time all is live again within LIVE_WITHIN_MS, and exact. Returns the pair as it is then.
 */
export async function failOver(
  pair: TestPair,
  { count, first: begin = 1, screens, oracle, untilLive, untilStale, pids, onLive }: Failovers,
): Promise<TestPair> {
  let { primary, standby } = pair;
  let first = begin;
  const total = (): number => screens[0]?.total ?? 0;
  for (let failover = 0; failover < count; failover += 1) {
    const urls = [primary, standby].map(({ database }) => database.gatesUrl);
    const writer = startTicketWriter({ urls, first, everyMs: 3 });
    await untilLive(total() + BEFORE_KILL);
    const killedAtMs = unixNow();
    await primary.signalAll('SIGKILL');
    await untilStale();
    await promote(standby);
    const promotedAtMs = performance.now();
    const stopwatch = startStopwatch({ pids, observersIn: standby.database });
    await untilLive(0);
    const tookMs = performance.now() - promotedAtMs;
    expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
    const liveAtMs = unixNow();
    await onLive?.(tookMs, killedAtMs);
    await untilLive(total() + 50);

    const commits = await writer.stop();
    await expectCounted(screens, standby);
    const lost = await countMissing(standby, first, commits.length);
    // What the new primary has not got is gone for good.
    oracle.add([...commits, { begunAtMs: killedAtMs, committedAtMs: liveAtMs, change: -lost }]);
    expect(new Set(screens.map((screen) => screen.total))).toEqual(new Set([oracle.total]));
    first += commits.length;

    await startStandby(primary, standby);
    [primary, standby] = [standby, primary];
    await untilCaughtUp({ primary, standby });
  }
  for (const { displayed } of screens) expect(oracle.violationsOf(displayed)).toEqual([]);
  return { primary, standby };
}

/** What these screens show becomes what SQL counts in this cluster. */
async function expectCounted(
  screens: readonly Pick<Screen, 'board'>[],
  { database }: TestCluster,
): Promise<void> {
  await until(async () => {
    const counts = await recount(database.admin);
    for (const { board } of screens) expect(board.shown?.counts).toEqual(counts);
  });
}

/** Of the tickets from `first` on whose entry was acknowledged, how many it does not know of. */
async function countMissing({ database }: TestCluster, first: number, count: number): Promise<number> {
  const [{ missing }] = await database.admin<[{ missing: number }]>`
    select count(*)::int as missing from tickets
    where not entrou and substring(id from 2)::int between ${first} and ${first + count - 1}`;
  return missing;
}

/** Of the state with this id. */
export function timelineOf(id: string): string {
  const [, place = ''] = positionOf(id).split('.');
  return place.slice(1, 1 + Number(place[0]));
}
