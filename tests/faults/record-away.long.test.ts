import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { duration } from '../../testing/durations.ts';
import { startNetwork } from '../../testing/network.ts';
import { startRecordedFlow } from '../../testing/recorded-flow.ts';
import { readiness } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';
import { expectRecounted, untilRecorded } from '../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../flow/operators.ts';

/** A minute of the flow is half a second: ten minutes are less than a day of it, which is as much as waits. */
const SPEED = 120;
const AWAY_MS = duration(600_000, 10_000);
const WATCHES_MS = 4_000;

test(
  'the record is away for ten minutes while gates write: commands are refused, no minute is missing in the end',
  { timeout: AWAY_MS + 120_000 },
  async () => {
    const flow = await startRecordedFlow(SPEED);
    const { database, history, clock, flowClock } = flow;
    const network = await startNetwork(database.recordUrl);
    const server = await flow.startServer({ recordUrl: network.url });
    const gates = flow.startGates();
    const operators = await startOperators([server.url]);
    await pause(WATCHES_MS);
    const watchedFromMs = flowClock(Date.now());
    await until(() => expect(operators.answered.size).toBeGreaterThan(1));

    network.cut();
    await until(async () =>
      expect((await readiness(server)).text).toMatch(/record of the flow cannot be written/),
    );
    const answered = operators.answered.size;
    await pause(AWAY_MS);
    expect(operators.answered.size).toBe(answered);
    expect((await readiness(server)).status).toBe(200);
    network.restore();
    await until(() => expect(operators.answered.size).toBeGreaterThan(answered));

    await operators.stop();
    await gates.stop();
    await untilRecorded(database.admin, flowClock(Date.now()));
    const { compared } = await expectRecounted(database.admin, history, [], clock, watchedFromMs);
    expect(compared).toBeGreaterThan((AWAY_MS / 60_000) * SPEED);
    await expectKept(database, operators);
  },
);
