import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../../testing/server/free-port.ts';
import { setEntered } from '../../../testing/database/database.ts';
import { sendLargeDocuments } from '../../../testing/sources/large-documents.ts';
import { LIVE_PATH, signIn } from '../../../testing/browser/page-client.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import { median } from '../../../testing/statistics.ts';
import { startTestBoard, type TestBoard } from '../../../testing/server/test-board.ts';
import { startServerProcess, type TestServer } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

const OTHERS = 500;
const FRAMES_PER_SECOND = 10;

test(`one viewer stops reading among ${OTHERS} at 10 frames/s: the others see no delay, it is dropped, and comes back right`, async () => {
  const memory = { usedMb: () => process.memoryUsage().rss / 2 ** 20 };
  const board = await startTestBoard({
    async startServer(observerUrl) {
      // A process of its own: in minutes, 500 screens take memory, too.
      const metricsPort = await freePort();
      const server = await startServerProcess(observerUrl, { env: { METRICS_PORT: String(metricsPort) } });
      memory.usedMb = () => server.usage.memoryMb();
      return Object.assign(server, { metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` });
    },
  });
  const { server } = board;
  const stalled = await openStalledStream(server);
  await sendLargeDocuments(board.database.admin);

  const arrivals = new Arrivals();
  const others = Array.from({ length: OTHERS }, () =>
    openScreen(server.url, {
      keepsHistory: false,
      onChange: ({ shown }) => arrivals.note(shown?.counts.total ?? 0),
    }),
  );
  await until(() => expect(others.every(({ live }) => live)).toBe(true));
  // Where an answer is late, a client asks once more, and leaves one of the two.
  await until(async () => expect(await viewersOf(server)).toBe(OTHERS + 2));
  const usedMb = memory.usedMb();
  const beside = await admitAtPace(board, arrivals, 20_000);
  expect(await viewersOf(server)).toBe(OTHERS + 2);
  await until(async () => expect(await viewersOf(server)).toBe(OTHERS + 1), 30_000);
  const without = await admitAtPace(board, arrivals, 270_000);
  console.info('commit to the last of the others, in ms', { beside, without });
  expect(beside.median).toBeLessThan(2 * without.median + 20);
  expect(beside.longest).toBeLessThan(1_000);
  console.info(`memory: ${usedMb.toFixed(0)} MB, then ${memory.usedMb().toFixed(0)} MB`);
  expect(memory.usedMb() - usedMb).toBeLessThan(100);
  expect(others.every(({ live }) => live)).toBe(true);

  const ended = new Promise((resolve) => stalled.once('close', resolve));
  stalled.on('error', () => {}).resume();
  await ended;
  const back = openScreen(server.url);
  await board.expectExact(3_000, [board.screen, back]);
}, 400_000);

/** When the newest total was on the last of the screens. */
class Arrivals {
  #total = 0;
  #screens = 0;
  #lastAtMs = 0;

  note(total: number): void {
    if (total > this.#total) this.#screens = 0;
    this.#total = Math.max(total, this.#total);
    if (total < this.#total) return;
    this.#screens += 1;
    this.#lastAtMs = performance.now();
  }

  /** When all the others showed it; `undefined`: not yet. */
  everywhereAtMs(total: number): number | undefined {
    return total === this.#total && this.#screens >= OTHERS ? this.#lastAtMs : undefined;
  }
}

let admitted = 0;

/** One admission at a time. Returns how long after its commit each was on the last screen, in milliseconds. */
async function admitAtPace(
  board: TestBoard,
  arrivals: Arrivals,
  durationMs: number,
): Promise<{ median: number; longest: number }> {
  const delays: number[] = [];
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs) {
    const id = `t${admitted}`;
    const begunAtMs = performance.now();
    await board.oracle.write(1, () => setEntered(board.database.gates, id, true));
    admitted += 1;
    const committedAtMs = performance.now();
    await until(() => expect(arrivals.everywhereAtMs(admitted)).toBeDefined(), 5_000);
    delays.push(Math.max(0, (arrivals.everywhereAtMs(admitted) ?? Infinity) - committedAtMs));
    await pause(Math.max(0, begunAtMs + 1_000 / FRAMES_PER_SECOND - performance.now()));
  }
  return { median: median(delays), longest: Math.max(...delays) };
}

/** A stream of which nobody takes a byte. */
async function openStalledStream({ url }: TestServer): Promise<IncomingMessage> {
  const cookie = await signIn(url);
  return new Promise((resolve, reject) => {
    get(`${url}${LIVE_PATH}`, { headers: { cookie } }, resolve).on('error', reject);
  });
}

async function viewersOf({ metricsUrl }: TestServer): Promise<number> {
  const text = await (await fetch(metricsUrl ?? '')).text();
  return Number(/^triagem_viewers (\d+)$/m.exec(text)?.[1]);
}
