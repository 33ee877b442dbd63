import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { runProgram } from '../../testing/server/program.ts';
import { startServerProcess } from '../../testing/server/test-server.ts';
import { keepTicketHistory } from '../../testing/sources/ticket-history.ts';
import { type Away, expectRecounted, UNWATCHED_BEFORE_MS, untilRecorded } from './expect-recounted.ts';

const AWAY_MS = 2_000;

const MATCHES = [
  { what: 'a whole match at 60 times its pace', speed: 60, lastsMs: 125_000 },
  { what: 'ten minutes of a match at its own pace', speed: 1, lastsMs: 600_000 },
];

test.each(MATCHES)(
  '$what, its server killed and started again twice, leaves minutes and log as SQL recounts them',
  async ({ speed, lastsMs }) => {
    const database = await createTestDatabase();
    const history = await keepTicketHistory(database);
    const clock = { sinceMs: Date.now(), speed };
    const flowMs = (atMs: number): number => clock.sinceMs + (atMs - clock.sinceMs) * speed;
    const start = () =>
      startServerProcess(database.observerUrl, {
        script: 'testing/desk/sped-up-server.mjs',
        env: {
          DESK_KEY,
          RECORD_DATABASE_URL: database.recordUrl,
          FLOW_SPEED: String(speed),
          FLOW_SINCE_MS: String(clock.sinceMs),
        },
      });
    let server = await start();
    await server.serves('/readyz');
    const gates = runProgram('gates', ['simulate', '--tickets', '5000', '--speed', String(speed)], {
      GATES_DATABASE_URL: database.gatesUrl,
    });
    const away: Away[] = [];
    for (let kills = 0; kills < 2; kills += 1) {
      await pause(lastsMs / 3);
      const fromMs = flowMs(Date.now() - UNWATCHED_BEFORE_MS);
      await server.end('SIGKILL');
      await pause(AWAY_MS);
      server = await start();
      await server.serves('/readyz');
      away.push({ fromMs, toMs: flowMs(Date.now()) });
    }
    await pause(lastsMs / 3);
    await gates.end('SIGINT');
    await untilRecorded(database.admin, flowMs(Date.now()) - MINUTE_MS);
    const { compared, missing } = await expectRecounted(database.admin, history, away, clock);
    expect(compared).toBeGreaterThan(5);
    expect(missing).toBeGreaterThanOrEqual(speed > 1 ? 2 : 0);
  },
  900_000,
);
