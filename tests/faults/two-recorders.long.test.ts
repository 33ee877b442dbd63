import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../testing/durations.ts';
import { freePort } from '../../testing/free-port.ts';
import { startNetwork } from '../../testing/network.ts';
import { isRecording, startRecordedFlow } from '../../testing/recorded-flow.ts';
import type { ServerProcess } from '../../testing/server.ts';
import { until } from '../../testing/until.ts';
import { expectRecounted, untilRecorded } from '../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../flow/operators.ts';

/** A minute of the flow is half a second. */
const SPEED = 120;
/** What a server must have watched before the other one goes: some minutes whole, and told of. */
const WATCHES_MS = 6_000;
const ROUNDS = IS_FULL ? 12 : 1;

test(
  'two servers record one match, and one at a time is killed, stopped or cut off from the tickets: no minute is missing, twice or wrong, no answered command lost',
  { timeout: 90_000 + ROUNDS * 150_000 },
  async () => {
    const flow = await startRecordedFlow(SPEED);
    const { database, history, clock, flowClock } = flow;
    const open = async () => {
      const network = await startNetwork(database.observerUrl);
      const port = await freePort();
      const start = () => flow.startServer({ port, observerUrl: network.url });
      return { network, start, server: await start() };
    };
    const servers = [await open(), await open()] as const;
    type Server = (typeof servers)[number];
    const cut = async ({ network }: Server, ms: number): Promise<void> => {
      network.cut();
      await pause(ms);
      network.restore();
    };
    const faults: readonly ((server: Server) => Promise<void>)[] = [
      async (server) => {
        await server.server.end('SIGKILL');
        server.server = await server.start();
      },
      async ({ server }) => stopFor(server, 3_500),
      async ({ server }) => stopFor(server, 1_200),
      async (server) => cut(server, 1_500),
      // Until it gives the record away.
      async (server) => cut(server, 12_000),
    ];
    const untilBothWatch = async (): Promise<void> => {
      for (const { server } of servers) await server.serves('/readyz');
      await pause(WATCHES_MS);
    };

    const gates = flow.startGates();
    const operators = await startOperators(servers.map(({ server }) => server.url));
    await untilBothWatch();
    const watchedFromMs = flowClock(Date.now());
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const fault of faults) {
        // Whoever writes first: more is lost with it.
        for (const isWriter of [true, false]) {
          const writers = (): Server[] => servers.filter(({ server }) => isRecording(server) === isWriter);
          await until(() => expect(writers()).toHaveLength(1));
          const [victim] = writers() as [Server];
          await pause(Math.random() * 1_000);
          await fault(victim);
          await untilBothWatch();
        }
      }
    }
    await operators.stop();
    await gates.stop();
    await untilRecorded(database.admin, flowClock(Date.now()));
    const { compared } = await expectRecounted(database.admin, history, [], clock, watchedFromMs);
    expect(compared).toBeGreaterThan(50);
    expect(operators.answered.size).toBeGreaterThan(faults.length);
    await expectKept(database, operators);
  },
);

async function stopFor({ child }: ServerProcess, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  await pause(ms);
  child.kill('SIGCONT');
}
