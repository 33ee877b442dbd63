import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { verifyChain } from '../../../domain/flow/log-chain.ts';
import { speedUp } from '../../../server/flow/flow-clock.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { type DeskClient, openDesk } from '../../../testing/desk-client.ts';
import { readLogRows, sha256 } from '../../../testing/log-rows.ts';
import { type Network, startNetwork } from '../../../testing/network.ts';
import { writeAtRandom } from '../../../testing/random-changes.ts';
import { openScreen } from '../../../testing/screen.ts';
import { promote, startStandby, startTestPair, untilCaughtUp, urlOf } from '../../../testing/standby.ts';
import { startServerProcess } from '../../../testing/test-server.ts';
import { keepTicketHistory, openTicketHistory } from '../../../testing/ticket-history.ts';
import { until } from '../../../testing/until.ts';
import { type Away, expectRecounted, readRecordedMinutes } from '../../flow/expect-recounted.ts';

const FAILOVERS = 3;
/** A minute of the flow is half a second. */
const SPEED = 120;
/** Each sends a command a second, which is as many as it may. */
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
    const desks = await Promise.all(
      Array.from({ length: DESKS }, (_, n) => openDesk(server.url, { name: `Mesa ${n}`, key: DESK_KEY })),
    );
    const stopping = new AbortController();
    const answered = new Set<string>();
    const commanding = desks.map((desk) => sendCommands(desk, answered, stopping.signal));

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
      const atMs = flowClock(Date.now());
      const { admin } = standby.database;
      await until(async () => {
        expect((await readRecordedMinutes(admin)).at(-1)?.minuteMs).toBeGreaterThan(atMs);
      }, 30_000);

      await startStandby(primary, standby, await throughNetwork(standby.database.adminUrl));
      [primary, standby] = [standby, primary];
    }
    stopping.abort();
    await Promise.all(commanding);
    const endMs = flowClock(Date.now());
    const { admin } = primary.database;
    await until(async () => {
      expect((await readRecordedMinutes(admin)).at(-1)?.minuteMs).toBeGreaterThan(endMs);
    }, 30_000);

    const history = openTicketHistory({ admin });
    const { compared, missing } = await expectRecounted(admin, history, away, clock);
    expect(compared).toBeGreaterThan(FAILOVERS);
    expect(missing).toBeGreaterThan(0);
    const log = await readLogRows(admin);
    const ids = log.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...answered].filter((id) => !ids.includes(id))).toEqual([]);
    expect(verifyChain(DEFAULT_EVENT_ID, log, sha256)).toMatchObject({ rows: log.length, broken: undefined });
  },
);

/** Occurrences, one after the other; what is not answered with success is sent again. */
async function sendCommands(desk: DeskClient, answered: Set<string>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const id = crypto.randomUUID();
    while (!stopping.aborted && !answered.has(id)) {
      const { status } = await desk.command({ id, text: `Ocorrência ${id.slice(0, 8)}`, sector: null });
      expect([200, 429, 503]).toContain(status);
      if (status === 200) answered.add(id);
      await pause(1_050);
    }
  }
}
