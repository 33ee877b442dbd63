import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../../testing/durations.ts';
import { isRecording, startRecordedFlow } from '../../../testing/recorded-flow.ts';
import { type FleetMember, startRecordingFleet } from '../../../testing/recording-fleet.ts';
import { until } from '../../../testing/until.ts';
import { expectRecounted, untilRecorded } from '../../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../../flow/operators.ts';

/** A minute of the flow is half a second. */
const SPEED = 120;
/** What both counters must have watched before one goes: some minutes whole, and told of. */
const WATCH_MS = 6_000;
const ROUNDS = IS_FULL ? 6 : 1;

test(
  'of a fleet each process is killed in turn while gates write, first the counter that writes the record: no minute is missing, twice or wrong, no answered command lost',
  { timeout: 90_000 + ROUNDS * 120_000 },
  async () => {
    const flow = await startRecordedFlow(SPEED);
    const { database, history, clock, flowClock } = flow;
    const { observerUrl, recordUrl } = database;
    const fleet = await startRecordingFleet({ observerUrl, recordUrl, clock });
    const { counters, edges, nats } = fleet;
    const killCounter = async (isWriter: boolean): Promise<void> => {
      const found = (): FleetMember[] => counters.filter(({ process }) => isRecording(process) === isWriter);
      await until(() => expect(found()).toHaveLength(1));
      for (const counter of found()) await counter.killAndStart();
      await untilBothWatch();
    };
    const untilBothWatch = async (): Promise<void> => {
      await fleet.untilWhole();
      await pause(WATCH_MS);
    };
    const kills: readonly (() => Promise<void>)[] = [
      () => killCounter(true),
      () => killCounter(false),
      ...edges.map((edge) => () => edge.killAndStart()),
      // What it has not written yet is more or less, by chance.
      () => killCounter(true),
      ...nats.servers.map((server) => async () => {
        await server.kill();
        await pause(1_000);
        await server.start();
      }),
      () => killCounter(true),
    ];

    const gates = flow.startGates();
    const operators = await startOperators(edges.map(({ process }) => process.url));
    await untilBothWatch();
    const watchedFromMs = flowClock(Date.now());
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const kill of kills) {
        await pause(Math.random() * 1_000);
        await kill();
        await fleet.untilWhole();
      }
    }
    await operators.stop();
    await gates.stop();
    await untilRecorded(database.admin, flowClock(Date.now()));
    const { compared } = await expectRecounted(database.admin, history, [], clock, watchedFromMs);
    expect(compared).toBeGreaterThan(50);
    expect(operators.answered.size).toBeGreaterThan(kills.length);
    await expectKept(database, operators);
  },
);
