import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../testing/free-port.ts';
import { setEntered } from '../../testing/database.ts';
import { LIVE_WITHIN_MS, repetitions } from '../../testing/durations.ts';
import type { ServerProcess } from '../../testing/server.ts';
import { expectNothingHeld, startTestBoard, type TestBoard } from '../../testing/test-board.ts';
import { startServerProcess, untilReady } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const KILLS = repetitions(20, 8);
const COMMITS_PER_SECOND = 500;
const TICKETS = 60_000;

test(
  `invariant 5: killed with SIGKILL ${KILLS} times at random moments of 500 commits/s: right counts on every start, screens live within 3 s of the open port`,
  { timeout: 240_000 },
  async () => {
    const port = await freePort();
    let server: ServerProcess | undefined;
    const start = async (url: string): Promise<ServerProcess> =>
      (server = await startServerProcess(url, { port }));
    const board = await startTestBoard({ tickets: TICKETS, startServer: start });
    const { database, screen } = board;
    const turnstiles = new Turnstiles(board);

    for (let kill = 0; kill < KILLS; kill += 1) {
      turnstiles.open();
      await pause(150 + Math.random() * 350);
      const { epoch } = board;
      await server?.end('SIGKILL');
      // They go on while no server runs, and while the next one begins.
      board.server = await start(database.observerUrl);
      await board.expectNewEpoch(epoch, 3_000);
      await turnstiles.close();
      await board.expectExact();
    }
    expect(turnstiles.commitsPerSecond).toBeGreaterThan(COMMITS_PER_SECOND * 0.9);
    expect(screen.total).toBe(turnstiles.commits);
    await board.close();
  },
);

test('stopped while gates write, it leaves no slot and no session in the database', async () => {
  const board = await startTestBoard();
  board.startWriting();
  await board.server.stop();
  await expectNothingHeld(board.database);
  await board.stopWriting();
});

test('killed while its database hangs up on it: its next start waits, and is live within 2 s of the first answer', async () => {
  const board = await startTestBoard({ startServer: (url) => startServerProcess(url) });
  const { database, screen } = board;
  const port = Number(new URL(board.server.url).port);
  await database.allowConnections(false);
  await (board.server as ServerProcess).end('SIGKILL');
  const server = await startServerProcess(database.observerUrl, { port });
  board.server = server;
  await until(() => expect(server.logged).toContainEqual(expect.objectContaining({ level: 40 })));
  expect(server.child.exitCode).toBeNull();
  await database.allowConnections(true);
  const stopwatch = board.startStopwatch();
  await untilReady(server);
  expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
  await until(() => expect(screen.live).toBe(true));
  await board.expectExact();
  await board.close();
});

/** Writers that together make COMMITS_PER_SECOND commits, whatever one of them takes. */
class Turnstiles {
  readonly #board: TestBoard;
  readonly #writing = new Set<Promise<void>>();
  #begun = 0;
  #openMs = 0;
  #openedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  commits = 0;

  constructor(board: TestBoard) {
    this.#board = board;
  }

  get commitsPerSecond(): number {
    return (this.commits * 1_000) / this.#openMs;
  }

  open(): void {
    const begunBefore = this.#begun;
    this.#openedAtMs = performance.now();
    this.#timer = setInterval(() => {
      const dueMs = performance.now() - this.#openedAtMs;
      const due = begunBefore + (dueMs * COMMITS_PER_SECOND) / 1_000;
      while (this.#begun < due) this.#admit(`t${this.#begun++}`);
    }, 5);
  }

  #admit(id: string): void {
    const { oracle, database } = this.#board;
    const writing = oracle
      .write(1, () => setEntered(database.gates, id, true))
      .then(() => {
        this.commits += 1;
        this.#writing.delete(writing);
      });
    this.#writing.add(writing);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#writing);
    this.#openMs += performance.now() - this.#openedAtMs;
  }
}
