import { expect, test } from 'vitest';
import { speedUp } from '../../../server/flow/flow-clock.ts';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { repetitions } from '../../../testing/durations.ts';
import { type Network, startNetwork } from '../../../testing/network.ts';
import { writeAtRandom } from '../../../testing/random-changes.ts';
import type { FlowSpeed } from '../../../testing/recorded-flow.ts';
import { startRecordingFleet } from '../../../testing/recording-fleet.ts';
import { openScreen } from '../../../testing/screen.ts';
import {
  promote,
  startStandby,
  startTestPair,
  type TestPair,
  untilCaughtUp,
  urlOf,
} from '../../../testing/standby.ts';
import { keepTicketHistory, openTicketHistory } from '../../../testing/ticket-history.ts';
import { until } from '../../../testing/until.ts';
import {
  type Away,
  expectRecounted,
  UNWATCHED_BEFORE_MS,
  untilRecorded,
} from '../../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../../flow/operators.ts';

const FAILOVERS = repetitions(3, 1);
/** A minute of the flow is half a second. */
const SPEED = 120;
const DESKS = 4;

/** What records, with desks. */
interface Recording {
  /** Where desks are served. */
  readonly urls: readonly string[];
  /** Until all that watches does. */
  untilWatching(): Promise<void>;
  /** Of the flow, since all watch again: who came last may record the minute that another one has watched whole. */
  readonly unsureMs: number;
}

interface Kind {
  readonly what: string;
  readonly start: (pair: TestPair, clock: FlowSpeed) => Promise<Recording>;
}

const KINDS: readonly Kind[] = [
  {
    what: 'a fleet',
    async start({ primary, standby }, clock) {
      const [observerUrl, recordUrl] = [
        urlOf('observerUrl', primary, standby),
        urlOf('recordUrl', primary, standby),
      ];
      const fleet = await startRecordingFleet({ observerUrl, recordUrl, clock });
      return {
        urls: fleet.edges.map(({ process }) => process.url),
        untilWatching: () => fleet.untilWhole(),
        unsureMs: MINUTE_MS,
      };
    },
  },
];

test.each(KINDS)(
  'failovers of $what to a standby that lacks the last seconds: each minute recorded once and as SQL recounts it, none missing that was watched, no answered command lost',
  { timeout: 60_000 + FAILOVERS * 60_000 },
  async ({ start }) => {
    let network: Network | undefined;
    const throughNetwork = async (url: string): Promise<string> => {
      network = await startNetwork(url);
      return network.url;
    };
    let { primary, standby } = await startTestPair(throughNetwork);
    await keepTicketHistory(primary.database);
    await untilCaughtUp({ primary, standby });
    const clock = { sinceMs: Date.now(), speed: SPEED };
    const flowClock = speedUp(clock.sinceMs, SPEED);
    const recording = await start({ primary, standby }, clock);
    const screens = recording.urls.map((url) => openScreen(url));
    const live = (): boolean[] => screens.map((screen) => screen.live);
    const operators = await startOperators(
      Array.from({ length: DESKS }, (_, desk) => recording.urls[desk % recording.urls.length] ?? ''),
    );
    const { answered } = operators;

    const away: Away[] = [];
    for (let failover = 0; failover < FAILOVERS; failover += 1) {
      for (let batch = 0; batch < 20; batch += 1) await writeAtRandom(primary.database, 50, { pauseMs: 10 });
      const before = answered.size;
      await until(() => expect(answered.size).toBeGreaterThan(before + 1));
      // From here on the gates stand still, and what is recorded does not reach the standby.
      await untilCaughtUp({ primary, standby });
      network?.cut();
      const unheard = answered.size;
      await until(() => expect(answered.size).toBeGreaterThan(unheard + 2));
      const [{ rows }] = await standby.database.admin<[{ rows: number }]>`
        select count(*)::int as rows from triagem.log where kind = 'occurrence'`;
      expect(rows).toBeLessThan(answered.size);

      const fromMs = flowClock(Date.now() - UNWATCHED_BEFORE_MS);
      await primary.signalAll('SIGKILL');
      await until(() => expect(live()).not.toContain(true));
      const { refused } = operators;
      await until(() => expect(operators.refused).toBeGreaterThan(refused));
      await promote(standby);
      await until(() => expect(live()).not.toContain(false));
      await recording.untilWatching();
      away.push({ fromMs, toMs: flowClock(Date.now()) + recording.unsureMs });
      await untilRecorded(standby.database.admin, flowClock(Date.now()));

      await startStandby(primary, standby, await throughNetwork(standby.database.adminUrl));
      [primary, standby] = [standby, primary];
    }
    await operators.stop();
    const { admin } = primary.database;
    await untilRecorded(admin, flowClock(Date.now()));

    const history = openTicketHistory({ admin });
    const { compared, missing } = await expectRecounted(admin, history, away, clock);
    expect(compared).toBeGreaterThan(FAILOVERS);
    expect(missing).toBeGreaterThan(0);
    expect(operators.unanswered).toBe(0);
    await expectKept(primary.database, operators, { mayMove: true });
  },
);
