import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FlowClock } from '../../../desk/flow/flow-clock.ts';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { positionOf } from '../../../domain/live-message.ts';
import { isEarlier, type LogPosition } from '../../../domain/log-position.ts';
import { recount } from '../../../testing/database/oracle.ts';
import { readMetrics } from '../../../testing/server/metrics.ts';
import { until } from '../../../testing/until.ts';
import type { TopologyName } from './table.ts';
import type { Topology } from './topology.ts';
import { isLiveSince, type WatchedScreen } from './watched-screen.ts';

type AnyTopology = Topology<TopologyName>;

/** What every server has confirmed before the next loss: one minute that it has watched whole, and the end of it. */
const CONFIRMED_MS = 2 * MINUTE_MS;
/** Longer than any limit of the table: the stopwatch holds a loss to its limit. */
const PATIENCE_MS = 60_000;
/** A state that a page displays within this time after a loss may have been sent before it. */
const ON_ITS_WAY_MS = 250;

/** Waits until every process that watches the flow has confirmed a minute that began after now, and every screen is live. */
export async function untilWatching(topology: AnyTopology, flowClock: FlowClock): Promise<void> {
  const metricsUrls = await topology.untilReady();
  const confirmedMs = flowClock(Date.now()) + CONFIRMED_MS;
  await until(async () => {
    for (const url of metricsUrls) {
      const { triagem_alarms_watch_age_seconds: ageS = Number.NaN } = await readMetrics(url);
      if (flowClock(Date.now()) - ageS * 1_000 > confirmedMs) continue;
      await pause(100);
      throw new Error(`${url} has not confirmed a minute since`);
    }
    await expectLive(topology, ({ live }) => live);
  }, PATIENCE_MS);
}

/** Waits until all screens display as live, after `atMs`, a state that holds the position. */
export async function untilLiveSince(
  topology: AnyTopology,
  atMs: number,
  position: LogPosition,
): Promise<void> {
  await until(async () => {
    await expectLive(topology, (screen) => isLiveSince(screen, position));
    await expectPagesLiveSince(topology, atMs, { ofDesks: false });
    const ids = (await topology.herd?.ids()) ?? [];
    expect([...ids].filter((id) => !isEarlier(position, positionOf(id)))).toEqual([]);
  }, PATIENCE_MS);
}

/** Waits until the pages of desks, which get a state each second, display one as live after `atMs`. */
export async function untilDesksLiveSince(topology: AnyTopology, atMs: number): Promise<void> {
  await until(() => expectPagesLiveSince(topology, atMs, { ofDesks: true }), PATIENCE_MS);
}

async function expectPagesLiveSince(
  { pages }: AnyTopology,
  atMs: number,
  { ofDesks }: { readonly ofDesks: boolean },
): Promise<void> {
  for (const page of pages.filter(({ isDesk }) => isDesk === ofDesks)) {
    const displayed = await page.displayed(1);
    expect(displayed.filter(({ live, atMs: ms }) => live && ms > atMs + ON_ITS_WAY_MS)).not.toEqual([]);
  }
}

/** Waits until all are live, and display what SQL counts. */
export async function expectExact(topology: AnyTopology): Promise<void> {
  const { database, screens, pages, herd } = topology;
  await until(async () => {
    const counts = await recount(database.admin);
    for (const { board } of screens) expect(board.shown?.counts).toEqual(counts);
    await expectLive(topology, ({ live }) => live);
    for (const page of pages) expect((await page.displayed(1)).at(0)?.total).toBe(counts.total);
    await herd?.expectCounts(counts);
  });
}

async function expectLive(
  { screens, pages, herd }: AnyTopology,
  isLive: (screen: WatchedScreen) => boolean,
): Promise<void> {
  expect(screens.filter((screen) => !isLive(screen))).toEqual([]);
  for (const page of pages) expect(await page.status()).toBe('ao vivo');
  await herd?.expectLive();
}
