import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { positionOf } from '../../../domain/live-message.ts';
import { isEarlier } from '../../../domain/log-position.ts';
import { repetitions } from '../../../testing/durations.ts';
import { TotalHistory } from '../../../testing/oracle.ts';
import { openScreen } from '../../../testing/screen.ts';
import { promote, startStandby, startTestPair, untilCaughtUp, urlOf } from '../../../testing/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { startServerProcess } from '../../../testing/test-server.ts';
import { startTicketWriter } from '../../../testing/ticket-writer.ts';
import { until } from '../../../testing/until.ts';
import { countMissing, expectCounted, timelineOf, unixNow } from './failed-over.ts';

const FAILOVERS = repetitions(10, 1);
/** After the promotion. */
const LIVE_WITHIN_MS = 3_000;
const TICKETS = 50_000;

test(
  'the primary is killed under 200 commits/s and its standby promoted, and so on in turn: live again within 3 s, exact',
  { timeout: 60_000 + FAILOVERS * 60_000 },
  async () => {
    const pair = await startTestPair();
    await pair.primary.database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, ${TICKETS}) n`;
    await untilCaughtUp(pair);
    const hosts = [pair.primary, pair.standby];
    const server = await startServerProcess(urlOf('observerUrl', ...hosts));
    const oracle = new TotalHistory();
    const shown: { readonly id: string; readonly total: number }[] = [];
    const screen = openScreen(server.url, {
      onChange({ shown: now }) {
        if (now && now.id !== shown.at(-1)?.id) shown.push({ id: now.id, total: now.counts.total });
      },
    });
    await until(() => expect(screen.live).toBe(true));

    let { primary, standby } = pair;
    let first = 1;
    for (let failover = 0; failover < FAILOVERS; failover += 1) {
      const writer = startTicketWriter({
        urls: [primary, standby].map(({ database }) => database.gatesUrl),
        first,
        everyMs: 3,
      });
      const from = screen.total ?? 0;
      await until(() => expect(screen.total).toBeGreaterThan(from + 200));
      const killedAtMs = unixNow();
      await primary.signalAll('SIGKILL');
      await until(() => expect(screen.live).toBe(false));
      await promote(standby);
      const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: standby.database });
      await until(() => expect(screen.live).toBe(true));
      expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
      const liveAtMs = unixNow();
      const live = screen.total ?? 0;
      await until(() => expect(screen.total).toBeGreaterThan(live + 50));

      const commits = await writer.stop();
      await expectCounted([screen], standby);
      const lost = await countMissing(standby, first, commits.length);
      // What the new primary has not got is gone for good.
      oracle.add([...commits, { begunAtMs: killedAtMs, committedAtMs: liveAtMs, change: -lost }]);
      expect(oracle.total).toBe(screen.total);
      first += commits.length;

      // The former primary returns as a standby.
      await startStandby(primary, standby);
      [primary, standby] = [standby, primary];
      await untilCaughtUp({ primary, standby });
    }

    expect(oracle.violationsOf(screen.displayed)).toEqual([]);
    const steps = shown.slice(1).map((now, index) => ({ now, before: shown[index] ?? now }));
    expect(steps.filter(({ now, before }) => isEarlier(positionOf(now.id), positionOf(before.id)))).toEqual(
      [],
    );
    // Nobody leaves: within a timeline, nothing goes back.
    const isBack = ({ now, before }: (typeof steps)[number]): boolean =>
      now.total < before.total && timelineOf(now.id) === timelineOf(before.id);
    expect(steps.filter(isBack)).toEqual([]);
    expect(new Set(shown.map(({ id }) => timelineOf(id))).size).toBe(FAILOVERS + 1);
    expect(server.logged.filter(({ msg }) => msg === 'observing again')).toHaveLength(FAILOVERS);
  },
);
