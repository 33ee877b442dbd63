import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../testing/durations.ts';
import { freePort } from '../../testing/free-port.ts';
import { startRecordedFlow } from '../../testing/recorded-flow.ts';
import { type Away, expectRecounted, UNWATCHED_BEFORE_MS, untilRecorded } from '../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../flow/operators.ts';

const KILLS = IS_FULL ? 60 : 6;
/** A minute of the flow is half a second. */
const SPEED = 120;
const LONGEST_RUN_MS = 6_000;
const DESKS = 8;

test(
  `killed with SIGKILL ${KILLS} times at random instants: minutes and gaps as SQL recounts them, no answered command lost, none twice`,
  { timeout: KILLS * 15_000 + 120_000 },
  async () => {
    const flow = await startRecordedFlow(SPEED);
    const { database, history, clock, flowClock } = flow;
    const port = await freePort();
    let server = await flow.startServer({ port });
    const gates = flow.startGates();
    const operators = await startOperators(Array.from({ length: DESKS }, () => server.url));

    const away: Away[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      await pause(Math.random() * LONGEST_RUN_MS);
      const fromMs = flowClock(Date.now() - UNWATCHED_BEFORE_MS);
      await server.end('SIGKILL');
      server = await flow.startServer({ port });
      away.push({ fromMs, toMs: flowClock(Date.now()) });
    }
    await pause(LONGEST_RUN_MS);
    await operators.stop();
    await gates.stop();
    await untilRecorded(database.admin, flowClock(Date.now()));

    const { compared, missing } = await expectRecounted(database.admin, history, away, clock);
    expect(compared).toBeGreaterThan(KILLS);
    expect(missing).toBeGreaterThan(0);
    expect(operators.answered.size).toBeGreaterThan(2 * KILLS);
    await expectKept(database, operators);
  },
);
