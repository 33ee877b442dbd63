import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { duration } from '../../../testing/durations.ts';
import { freePort } from '../../../testing/server/free-port.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { recordingBy } from '../../../testing/desk/recorded-flow.ts';
import type { ServerProcess } from '../../../testing/server/server.ts';
import { startPrimary, urlOf } from '../../../testing/database/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { readiness, reasonsOf, startServerProcess } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';
import { startOperators } from '../../flow/operators.ts';
import { startPairInMatch } from './promotions.ts';
import { testLosses } from './test-losses.ts';
import { type Inflict, MATCH_ENV, type Topology } from './topology.ts';
import { openWatchedScreen } from './watched-screen.ts';

const DESKS = 8;
const RECORD_AWAY_MS = duration(600_000, 1_500);
const STANDS_STILL_MS = duration(40_000, 500);

testLosses('all-in-one', async (): Promise<Topology<'all-in-one'>> => {
  const match = await startPairInMatch();
  const { primary, standby } = match.pair;
  const record = await startNetwork(match.database.recordUrl);
  const recordUrl = urlOf('recordUrl', primary, standby).replace(primary.host, `127.0.0.1:${record.port}`);
  const [port, metricsPort] = [await freePort(), await freePort()];
  const { script, env } = recordingBy(match.clock, recordUrl);
  let server: ServerProcess;
  const start = async (): Promise<void> => {
    server = await startServerProcess(urlOf('observerUrl', primary, standby), {
      port,
      script,
      env: { DESK_KEY, METRICS_PORT: String(metricsPort), ...MATCH_ENV, ...env },
    });
  };
  await start();
  const untilReady = async (): Promise<readonly string[]> => {
    await server.serves('/readyz');
    return [`http://127.0.0.1:${metricsPort}/metrics`];
  };
  await untilReady();
  const screens = [openWatchedScreen(`http://127.0.0.1:${port}`)];
  const operators = await startOperators(Array.from({ length: DESKS }, () => `http://127.0.0.1:${port}`));

  let reasonsBefore = 0;
  const leader = (): typeof primary => match.pair.primary;
  /** PostgreSQL is lost, and answers again. */
  const lossOfPostgres =
    (lose: () => Promise<unknown>, restore: () => Promise<unknown>): Inflict =>
    async ({ begins, counts, untilStale }) => {
      // Else the last checkpoint would be what takes long.
      await leader().database.admin`checkpoint`;
      begins();
      await lose();
      await untilStale();
      await restore();
      await leader().answersAgain();
      counts();
    };

  return {
    ...match,
    get database() {
      return match.database;
    },
    screens,
    allScreens: screens,
    pages: [],
    operators,
    pids: () => [server.pid],
    untilReady,
    stop: () => server.stop(),
    losses: {
      async 'the record cannot be reached'({ begins, counts }) {
        begins();
        record.cut();
        await until(async () =>
          expect((await readiness(server)).text).toMatch(/record of the flow cannot be written/),
        );
        const { answered } = operators;
        const before = answered.size;
        await pause(RECORD_AWAY_MS);
        expect(answered.size).toBe(before);
        expect((await readiness(server)).status).toBe(200);
        counts();
        return async () => {
          record.restore();
          await until(() => expect(answered.size).toBeGreaterThan(before));
        };
      },
      async 'the server is killed and started again'({ begins, counts }) {
        await pause(Math.random() * 500);
        begins();
        await server.end('SIGKILL');
        await start();
        // Also before it has watched a minute.
        if (Math.random() < 0.3) {
          await pause(Math.random() * 1_000);
          await server.end('SIGKILL');
          await start();
        }
        counts();
      },
      async 'the server is killed while the database refuses it'({ begins, counts }) {
        const { database } = match;
        begins();
        await database.allowConnections(false);
        await server.end('SIGKILL');
        await start();
        await until(() => expect(server.logged).toContainEqual(expect.objectContaining({ level: 40 })));
        expect(server.child.exitCode).toBeNull();
        await database.allowConnections(true);
        counts();
      },
      'the walsender is terminated': () => match.database.terminate('walsender'),
      'PostgreSQL is restarted': lossOfPostgres(
        async () => {
          const processes = await leader().processes();
          const stopwatch = startStopwatch({ pids: () => processes });
          await leader().stop();
          // It waits for us to confirm the end of its log: an observer that does not would hold it up.
          expect(await stopwatch.elapsedMs()).toBeLessThan(2_000);
        },
        () => startPrimary(leader()),
      ),
      'PostgreSQL is killed and started again': lossOfPostgres(
        () => leader().signalAll('SIGKILL'),
        () => startPrimary(leader()),
      ),
      'PostgreSQL stands still': lossOfPostgres(
        async () => {
          reasonsBefore = reasonsOf(server).length;
          await leader().signalAll('SIGSTOP');
        },
        async () => {
          // Before it has given the session up, it would go on with what was sent meanwhile.
          const given = (): string => reasonsOf(server).slice(reasonsBefore);
          await until(() => expect(given()).toMatch(/went silent|The database does not answer(?! over)/));
          await pause(STANDS_STILL_MS);
          await leader().signalAll('SIGCONT');
        },
      ),
      'the standby is promoted': match.promoteUnderCommits,
      'a standby behind is promoted': match.promoteBehind(() => operators),
    },
  };
});
