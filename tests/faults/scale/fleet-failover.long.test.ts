import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { speedUp } from '../../../server/flow/flow-clock.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { startCounter, startEdge, untilFollowing } from '../../../testing/fleet.ts';
import { startNats } from '../../../testing/nats-server.ts';
import { prepareNginxOfEdges } from '../../../testing/nginx.ts';
import { recordDisplays } from '../../../testing/page-displays.ts';
import { TotalHistory } from '../../../testing/oracle.ts';
import { openScreen } from '../../../testing/screen.ts';
import { startTestPair, urlOf } from '../../../testing/standby.ts';
import { openLivePage } from '../../../testing/test-page.ts';
import { keepTicketHistory, openTicketHistory } from '../../../testing/ticket-history.ts';
import { unixNow, until } from '../../../testing/until.ts';
import { type Away, expectRecounted, untilRecorded } from '../../flow/expect-recounted.ts';
import { addTickets, failOver, timelineOf } from './fail-over.ts';

const FAILOVERS = IS_FULL ? 5 : 1;
const SCREENS = IS_FULL ? 150 : 40;
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
    await addTickets(pair);
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
    const last = await failOver(pair, {
      count: FAILOVERS,
      screens,
      oracle,
      untilLive: untilAllLive,
      untilStale: () =>
        until(async () => {
          expect(screens.filter(({ live }) => live)).toEqual([]);
          expect(await page.status()).not.toBe('ao vivo');
        }),
      pids,
      async onLive(killedAtMs) {
        for (const counter of counters) await counter.serves('/readyz');
        // Whoever came back last may record the first minute that the other one has watched whole.
        away.push({
          fromMs: flowClock(killedAtMs - UNWATCHED_BEFORE_MS),
          toMs: flowClock(unixNow()) + MINUTE_MS,
        });
      },
    });
    expect(oracle.violationsOf(await displaysOfPage())).toEqual([]);
    const timelines = screens.map(({ board: { shown } }) => Number(timelineOf(shown?.id ?? '')));
    expect(new Set(timelines)).toEqual(new Set([FAILOVERS + 1]));

    const { admin } = last.primary.database;
    await untilRecorded(admin, flowClock(Date.now()));
    const { compared } = await expectRecounted(admin, openTicketHistory({ admin }), away, clock);
    expect(compared).toBeGreaterThan(FAILOVERS);
  },
);

function portOf({ url }: { readonly url: string }): number {
  return Number(new URL(url).port);
}
