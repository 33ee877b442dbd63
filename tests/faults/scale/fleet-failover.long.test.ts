import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { speedUp } from '../../../server/flow/flow-clock.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { prepareNginxOfEdges } from '../../../testing/nginx.ts';
import { recordDisplays } from '../../../testing/page-displays.ts';
import { TotalHistory } from '../../../testing/oracle.ts';
import { startRecordingFleet } from '../../../testing/recording-fleet.ts';
import { openScreen } from '../../../testing/screen.ts';
import { startTestPair, urlOf } from '../../../testing/standby.ts';
import { openLivePage } from '../../../testing/test-page.ts';
import { keepTicketHistory, openTicketHistory } from '../../../testing/ticket-history.ts';
import { unixNow, until } from '../../../testing/until.ts';
import {
  type Away,
  expectRecounted,
  UNWATCHED_BEFORE_MS,
  untilRecorded,
} from '../../flow/expect-recounted.ts';
import { addTickets, failOver, timelineOf } from './fail-over.ts';

const FAILOVERS = IS_FULL ? 5 : 1;
const SCREENS = IS_FULL ? 150 : 40;
/** A minute of the flow is half a second. */
const SPEED = 120;

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
    const fleet = await startRecordingFleet({
      observerUrl: urlOf('observerUrl', ...hosts),
      recordUrl: urlOf('recordUrl', ...hosts),
      clock,
      edgeEnv: { TRUST_PROXY: '127.0.0.1', MAX_VIEWERS_PER_ADDRESS: String(4 * SCREENS) },
    });
    const [one, other] = fleet.edges;
    const nginx = await prepareNginxOfEdges([portOf(one.process), portOf(other.process)]);
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
    const pids = (): number[] => [...fleet.pids(), ...nginx.pids()];
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
        for (const { process } of fleet.counters) await process.serves('/readyz');
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
