import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { speedUp } from '../../../server/flow/flow-clock.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { startCounter, startEdge, untilFollowing } from '../../../testing/fleet.ts';
import { startNats } from '../../../testing/nats-server.ts';
import { prepareNginxOfEdges } from '../../../testing/nginx.ts';
import { TotalHistory } from '../../../testing/oracle.ts';
import { recordDisplays } from '../../../testing/page-displays.ts';
import { openScreen } from '../../../testing/screen.ts';
import { promote, startStandby, startTestPair, untilCaughtUp, urlOf } from '../../../testing/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { openLivePage } from '../../../testing/test-page.ts';
import { keepTicketHistory, openTicketHistory } from '../../../testing/ticket-history.ts';
import { startTicketWriter } from '../../../testing/ticket-writer.ts';
import { until } from '../../../testing/until.ts';
import { type Away, expectRecounted, untilRecorded } from '../../flow/expect-recounted.ts';
import { countMissing, expectCounted, timelineOf, unixNow } from './failed-over.ts';

const FAILOVERS = IS_FULL ? 5 : 1;
const SCREENS = IS_FULL ? 150 : 40;
/** After the promotion. */
const LIVE_WITHIN_MS = 3_000;
const TICKETS = 50_000;
/** A minute of the flow is half a second. */
const SPEED = 120;
/** Before a failover: what was told since the last look at the clock. */
const UNWATCHED_BEFORE_MS = 4_000;

test(
  'two counters, three NATS servers, two edges and nginx: the primary is killed under 200 commits/s and its standby promoted: every screen and Chromium are live again within 3 s, exact, and the minutes are those that SQL recounts',
  { timeout: 180_000 + FAILOVERS * 90_000 },
  async () => {
    const pair = await startTestPair();
    await keepTicketHistory(pair.primary.database);
    await pair.primary.database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, ${TICKETS}) n`;
    await untilCaughtUp(pair);
    const hosts = [pair.primary, pair.standby];
    const clock = { sinceMs: Date.now(), speed: SPEED };
    const flowClock = speedUp(clock.sinceMs, SPEED);
    const nats = await startNats({ servers: 3 });
    const counters = await Promise.all(
      ['c1', 'c2'].map((name) =>
        startCounter(nats, urlOf('observerUrl', ...hosts), {
          script: 'testing/sped-up-server.mjs',
          env: {
            NODE_NAME: name,
            RECORD_DATABASE_URL: urlOf('recordUrl', ...hosts),
            FLOW_SPEED: String(SPEED),
            FLOW_SINCE_MS: String(clock.sinceMs),
          },
        }),
      ),
    );
    const startOneEdge = (name: string) =>
      startEdge(nats, {
        env: { NODE_NAME: name, TRUST_PROXY: '127.0.0.1', MAX_VIEWERS_PER_ADDRESS: String(4 * SCREENS) },
      });
    const edges = [await startOneEdge('e1'), await startOneEdge('e2')] as const;
    for (const edge of edges) await untilFollowing(edge, 'c1', 'c2');
    const nginx = await prepareNginxOfEdges([portOf(edges[0]), portOf(edges[1])]);
    await nginx.start();
    const oracle = new TotalHistory();
    const screens = Array.from({ length: SCREENS }, () =>
      openScreen(nginx.url, { certificate: nginx.certificate.pem }),
    );
    const browser = await launchBrowser({ args: [nginx.certificate.chromiumOption] });
    const page = await openLivePage(browser, nginx.url);
    const displaysOfPage = await recordDisplays(page.page);
    const untilAllLive = async (total: number): Promise<void> => {
      await until(async () => {
        expect(screens.filter((screen) => !screen.live || (screen.total ?? 0) < total)).toEqual([]);
        expect(await page.status()).toBe('ao vivo');
      }, 30_000);
    };
    const pids = (): number[] => [
      ...[...counters, ...edges].map(({ pid }) => pid),
      ...nats.servers.map(({ pid }) => pid),
      ...nginx.pids(),
    ];
    await untilAllLive(0);

    const away: Away[] = [];
    let { primary, standby } = pair;
    let first = 1;
    for (let failover = 0; failover < FAILOVERS; failover += 1) {
      const writer = startTicketWriter({
        urls: [primary, standby].map(({ database }) => database.gatesUrl),
        first,
        everyMs: 3,
      });
      await untilAllLive((screens[0]?.total ?? 0) + 800);
      const killedAtMs = unixNow();
      await primary.signalAll('SIGKILL');
      await until(async () => {
        expect(screens.filter(({ live }) => live)).toEqual([]);
        expect(await page.status()).not.toBe('ao vivo');
      });
      await promote(standby);
      const stopwatch = startStopwatch({ pids, observersIn: standby.database });
      await untilAllLive(0);
      expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
      const liveAtMs = unixNow();
      for (const counter of counters) await counter.serves('/readyz');
      // Whoever came back last may record the first minute that the other one has watched whole.
      away.push({
        fromMs: flowClock(killedAtMs - UNWATCHED_BEFORE_MS),
        toMs: flowClock(unixNow()) + MINUTE_MS,
      });
      await untilAllLive((screens[0]?.total ?? 0) + 50);

      const commits = await writer.stop();
      await expectCounted(screens, standby);
      const lost = await countMissing(standby, first, commits.length);
      // What the new primary has not got is gone for good.
      oracle.add([...commits, { begunAtMs: killedAtMs, committedAtMs: liveAtMs, change: -lost }]);
      expect(screens.every(({ total }) => total === oracle.total)).toBe(true);
      first += commits.length;

      await startStandby(primary, standby);
      [primary, standby] = [standby, primary];
      await untilCaughtUp({ primary, standby });
    }
    for (const { displayed } of screens) expect(oracle.violationsOf(displayed)).toEqual([]);
    expect(oracle.violationsOf(await displaysOfPage())).toEqual([]);
    const timelines = screens.map(({ board: { shown } }) => Number(timelineOf(shown?.id ?? '')));
    expect(new Set(timelines)).toEqual(new Set([FAILOVERS + 1]));

    const { admin } = primary.database;
    await untilRecorded(admin, flowClock(Date.now()));
    const { compared } = await expectRecounted(admin, openTicketHistory({ admin }), away, clock);
    expect(compared).toBeGreaterThan(FAILOVERS);
  },
);

function portOf({ url }: { readonly url: string }): number {
  return Number(new URL(url).port);
}
