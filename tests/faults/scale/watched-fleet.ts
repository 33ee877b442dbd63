import { expect } from 'vitest';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { type FlowClock, speedUp } from '../../../server/flow/flow-clock.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { type Nginx, prepareNginxOfEdges } from '../../../testing/nginx.ts';
import { recount, TotalHistory } from '../../../testing/oracle.ts';
import { recordDisplays } from '../../../testing/page-displays.ts';
import { type RecordingFleet, startRecordingFleet } from '../../../testing/recording-fleet.ts';
import { openScreen, type Screen } from '../../../testing/screen.ts';
import { openScreenHerd, type ScreenHerd } from '../../../testing/screen-herd.ts';
import { startTestPair, type TestPair, urlOf } from '../../../testing/standby.ts';
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

/** A fleet behind nginx that counts a primary and its standby, and all that watches it: screens, and a page in Chromium. */
export interface WatchedFleet {
  readonly fleet: RecordingFleet;
  readonly nginx: Nginx;
  /** Of what is written: to be told, once it is known. */
  readonly oracle: TotalHistory;
  readonly herd: ScreenHerd;
  /** How many are in, as SQL knows it. */
  countEntered(): Promise<number>;
  /** Of the gates' role, the primary first. */
  readonly gatesUrls: readonly string[];
  /** Until all that watches is live, with so many in at least. */
  untilLive(least: number): Promise<void>;
  /**
   * Fails the primary over so many times under 200 commits a second (fail-over.ts); `first`: of the tickets, who enters next.
   * Returns how many milliseconds after each promotion all were live, by the clock.
   */
  failOver(count: number, first?: number): Promise<readonly number[]>;
  /**
   * Nothing wrong was shown as live by any, all show what SQL counts, and the minutes are those that SQL recounts. Returns
   * how many minutes were compared.
   */
  expectExact(): Promise<number>;
}

/** A minute of the flow is half a second. */
const SPEED = 120;
/** In this process; with all that they have displayed. */
const SCREENS = 4;

/** `herd`: of the screens, those in processes of their own. Resolves once all are live. */
export async function openWatchedFleet(herdSize: {
  readonly screens: number;
  readonly processes: number;
}): Promise<WatchedFleet> {
  let pair = await startTestPair();
  await keepTicketHistory(pair.primary.database);
  await addTickets(pair);
  const hosts = [pair.primary, pair.standby];
  const clock = { sinceMs: Date.now(), speed: SPEED };
  const flowClock = speedUp(clock.sinceMs, SPEED);
  const viewers = herdSize.screens + SCREENS;
  const fleet = await startRecordingFleet({
    observerUrl: urlOf('observerUrl', ...hosts),
    recordUrl: urlOf('recordUrl', ...hosts),
    clock,
    edgeEnv: { TRUST_PROXY: '127.0.0.1', MAX_VIEWERS_PER_ADDRESS: String(4 * viewers) },
  });
  const [one, other] = fleet.edges;
  const nginx = await prepareNginxOfEdges([portOf(one.process), portOf(other.process)]);
  await nginx.start();
  const certificate = nginx.certificate.pem;
  const oracle = new TotalHistory();
  const screens = Array.from({ length: SCREENS }, () => openScreen(nginx.url, { certificate }));
  const herd = await openScreenHerd(nginx.plainUrl, herdSize);
  const browser = await launchBrowser({ args: [nginx.certificate.chromiumOption] });
  const page = await openLivePage(browser, nginx.url);
  const displaysOfPage = await recordDisplays(page.page);
  const away: Away[] = [];
  let failovers = 0;

  const untilLive = (least: number): Promise<void> =>
    until(async () => {
      expect(screens.filter(({ live, total = 0 }) => !live || total < least)).toEqual([]);
      await herd.expectLive(least);
      expect(await page.status()).toBe('ao vivo');
    }, 30_000);
  const untilStale = (): Promise<void> =>
    until(async () => {
      expect(screens.filter(({ live }) => live)).toEqual([]);
      await herd.expectNoneLive();
      expect(await page.status()).not.toBe('ao vivo');
    });
  const pids = (): number[] => [...fleet.pids(), ...nginx.pids()];
  await untilLive(0);
  return {
    fleet,
    nginx,
    herd,
    oracle,
    countEntered: async () => (await recount(pair.primary.database.admin)).total,
    gatesUrls: hosts.map(({ database }) => database.gatesUrl),
    untilLive,
    async failOver(count, first = 1) {
      const took: number[] = [];
      const onLive = async (tookMs: number, killedAtMs: number): Promise<void> => {
        took.push(tookMs);
        for (const { process } of fleet.counters) await process.serves('/readyz');
        // Whoever came back last may record the first minute that the other one has watched whole.
        away.push({
          fromMs: flowClock(killedAtMs - UNWATCHED_BEFORE_MS),
          toMs: flowClock(unixNow()) + MINUTE_MS,
        });
      };
      pair = await failOver(pair, { count, first, screens, oracle, untilLive, untilStale, pids, onLive });
      failovers += count;
      return took;
    },
    async expectExact() {
      await expectShownExact(pair, { screens, herd, failovers });
      expect(oracle.violationsOf(await displaysOfPage())).toEqual([]);
      expect((await herd.displayed()).flatMap((each) => oracle.violationsOf(each))).toEqual([]);
      for (const { displayed } of screens) expect(oracle.violationsOf(displayed)).toEqual([]);
      expect(await herd.violations()).toEqual([]);
      return compareMinutes(pair, { away, clock, flowClock });
    },
  };
}

async function expectShownExact(
  { primary }: TestPair,
  shown: {
    readonly screens: readonly Screen[];
    readonly herd: ScreenHerd;
    readonly failovers: number;
  },
): Promise<void> {
  const { screens, herd, failovers } = shown;
  const counts = await recount(primary.database.admin);
  await until(async () => {
    for (const { board } of screens) expect(board.shown?.counts).toEqual(counts);
    await herd.expectCounts(counts);
  });
  const ids = [...screens.map(({ board }) => board.shown?.id ?? ''), ...(await herd.ids())];
  expect(new Set(ids.map(timelineOf))).toEqual(new Set([String(failovers + 1)]));
}

async function compareMinutes(
  { primary }: TestPair,
  recorded: {
    readonly away: readonly Away[];
    readonly clock: { readonly sinceMs: number; readonly speed: number };
    readonly flowClock: FlowClock;
  },
): Promise<number> {
  const { away, clock, flowClock } = recorded;
  const { admin } = primary.database;
  await untilRecorded(admin, flowClock(Date.now()));
  const { compared } = await expectRecounted(admin, openTicketHistory({ admin }), away, clock);
  return compared;
}

function portOf({ url }: { readonly url: string }): number {
  return Number(new URL(url).port);
}
