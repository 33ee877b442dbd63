import { expect, test } from 'vitest';
import { positionOf } from '../../../domain/live-message.ts';
import { isEarlier } from '../../../domain/log-position.ts';
import { repetitions } from '../../../testing/durations.ts';
import { TotalHistory } from '../../../testing/oracle.ts';
import { openScreen } from '../../../testing/screen.ts';
import { startTestPair, urlOf } from '../../../testing/standby.ts';
import { startServerProcess } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';
import { addTickets, failOver, timelineOf } from './fail-over.ts';

const FAILOVERS = repetitions(10, 1);

test(
  'the primary is killed under 200 commits/s and its standby promoted, and so on in turn: live again within 3 s, exact',
  { timeout: 180_000 + FAILOVERS * 60_000 },
  async () => {
    const pair = await startTestPair();
    await addTickets(pair);
    const server = await startServerProcess(urlOf('observerUrl', pair.primary, pair.standby));
    const oracle = new TotalHistory();
    const shown: { readonly id: string; readonly total: number }[] = [];
    const screen = openScreen(server.url, {
      onChange({ shown: now }) {
        if (now && now.id !== shown.at(-1)?.id) shown.push({ id: now.id, total: now.counts.total });
      },
    });
    await until(() => expect(screen.live).toBe(true));

    await failOver(pair, {
      count: FAILOVERS,
      screens: [screen],
      oracle,
      untilLive: (least) =>
        until(() => {
          expect(screen.live).toBe(true);
          expect(screen.total).toBeGreaterThanOrEqual(least);
        }),
      untilStale: () => until(() => expect(screen.live).toBe(false)),
      pids: () => [server.pid],
    });
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
