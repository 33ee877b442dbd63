import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { openCrowdScreen } from '../../../tools/soak/crowd-screen.ts';
import { duration, FAULT_LIMITS, IS_FULL } from '../../support/durations.ts';
import { openScreen } from '../../support/screen.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { setEntered } from '../../support/tickets.ts';
import { until } from '../../support/until.ts';
import { signIn } from '../../support/viewer.ts';
import { watchBoard, type WatchedBoard } from '../../support/watched-board.ts';

const OTHERS = 500;
const FRAMES_PER_SECOND = 10;
/** Together more than the operating system keeps for one connection; each less than a screen takes. */
const FILLING = { documents: 4, bytes: 3_500_000 };

test(`one viewer stops reading among ${OTHERS} at 10 frames/s: the others see no delay, it is dropped, and comes back right`, async () => {
  const fanOut = IS_FULL ? {} : { blockedMs: 10_000 };
  const board = await watchBoard({
    startServer: (observerUrl) =>
      startTestServer({ observerUrl }, { METRICS_PORT: '0' }, { limits: FAULT_LIMITS, fanOut }),
  });
  const { server } = board;
  const stalled = await openStalledStream(server);
  await fillBuffers(board);

  const arrivals = new Arrivals();
  const others = Array.from({ length: OTHERS }, () =>
    openCrowdScreen(server.url, ({ shown }) => arrivals.note(shown?.admissions.total ?? 0)),
  );
  await until(() => expect(others.every(({ live }) => live)).toBe(true));
  expect(await viewersOf(server)).toBe(OTHERS + 2);
  const memory = process.memoryUsage().rss;
  const beside = await admitAtPace(board, arrivals, duration(20_000, 4_000));
  expect(await viewersOf(server)).toBe(OTHERS + 2);
  await until(async () => expect(await viewersOf(server)).toBe(OTHERS + 1), 30_000);
  const without = await admitAtPace(board, arrivals, duration(270_000, 3_000));
  console.info('commit to the last of the others, in ms', { beside, without });
  expect(beside.median).toBeLessThan(2 * without.median + 20);
  expect(beside.longest).toBeLessThan(1_000);
  expect(process.memoryUsage().rss - memory).toBeLessThan(100 * 2 ** 20);
  expect(others.every(({ live }) => live)).toBe(true);

  const ended = new Promise((resolve) => stalled.once('close', resolve));
  stalled.on('error', () => {}).resume();
  await ended;
  const back = openScreen(server.url);
  await board.expectExact(3_000, [board.screen, back]);
  for (const screen of [back, ...others]) screen.close();
  await board.close();
}, 400_000);

/** When each total was on the last of the screens. */
class Arrivals {
  readonly #times = new Map<number, number[]>();

  note(total: number): void {
    const times = this.#times.get(total) ?? [];
    times.push(performance.now());
    this.#times.set(total, times);
  }

  /** When all the others showed it; `undefined`: not yet. */
  everywhereAtMs(total: number): number | undefined {
    const times = this.#times.get(total) ?? [];
    return times.length >= OTHERS ? times.at(-1) : undefined;
  }
}

let admitted = 0;

/** One admission at a time. Returns how long after its commit each was on the last screen, in milliseconds. */
async function admitAtPace(
  board: WatchedBoard,
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
  const sorted = delays.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1] ?? Infinity, longest: sorted.at(-1) ?? Infinity };
}

/** A stream of which nobody takes a byte. */
async function openStalledStream({ url }: TestServer): Promise<IncomingMessage> {
  const cookie = await signIn(url);
  return new Promise((resolve, reject) => {
    get(`${url}/api/events/${DEFAULT_EVENT_ID}/live`, { headers: { cookie } }, resolve).on('error', reject);
  });
}

/** Sector documents so large that nothing more fits into the stalled connection; then small ones again. */
async function fillBuffers({ database: { admin } }: WatchedBoard): Promise<void> {
  for (let document = 0; document < FILLING.documents; document += 1) {
    const data = { document, filling: 'x'.repeat(FILLING.bytes) };
    await admin`
      insert into sectors (event_id, code, data) values (${DEFAULT_EVENT_ID}, '4', ${admin.json(data)})
      on conflict (event_id, code) do update set data = excluded.data`;
    await pause(300);
  }
  await admin`update sectors set data = '{}' where event_id = ${DEFAULT_EVENT_ID}`;
  await pause(300);
}

async function viewersOf({ metricsUrl }: TestServer): Promise<number> {
  const text = await (await fetch(metricsUrl ?? '')).text();
  return Number(/^triagem_viewers (\d+)$/m.exec(text)?.[1]);
}
