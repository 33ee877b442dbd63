import { expect, test } from 'vitest';
import { speedUp } from '../../../server/flow/flow-clock.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { type Network, startNetwork } from '../../../testing/network.ts';
import { writeAtRandom } from '../../../testing/random-changes.ts';
import { openScreen } from '../../../testing/screen.ts';
import { promote, startStandby, startTestPair, untilCaughtUp, urlOf } from '../../../testing/standby.ts';
import { startServerProcess } from '../../../testing/test-server.ts';
import { keepTicketHistory, openTicketHistory } from '../../../testing/ticket-history.ts';
import { until } from '../../../testing/until.ts';
import { type Away, expectRecounted, untilRecorded } from '../../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../../flow/operators.ts';

const FAILOVERS = 3;
/** A minute of the flow is half a second. */
const SPEED = 120;
const DESKS = 4;
/** Before a failover: what was told since the last look at the clock. */
const UNWATCHED_BEFORE_MS = 4_000;

test(
  'failovers to a standby that lacks the last seconds: each minute recorded once and as SQL recounts it, none missing that was watched, no answered command lost',
  { timeout: 60_000 + FAILOVERS * 60_000 },
  async () => {
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
    const server = await startServerProcess(urlOf('observerUrl', primary, standby), {
      script: 'testing/sped-up-server.mjs',
      env: {
        DESK_KEY,
        RECORD_DATABASE_URL: urlOf('recordUrl', primary, standby),
        FLOW_SPEED: String(SPEED),
        FLOW_SINCE_MS: String(clock.sinceMs),
      },
    });
    await server.serves('/readyz');
    const screen = openScreen(server.url);
    const operators = await startOperators(Array.from({ length: DESKS }, () => server.url));
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
      await until(() => expect(screen.live).toBe(false));
      await promote(standby);
      await until(() => expect(screen.live).toBe(true));
      away.push({ fromMs, toMs: flowClock(Date.now()) });
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
