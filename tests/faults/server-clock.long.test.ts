import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { setEntered } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { signIn } from '../../testing/browser/page-client.ts';
import { openScreen, type Screen } from '../../testing/browser/screen.ts';
import type { ServerProcess } from '../../testing/server/server.ts';
import { startTestBoard } from '../../testing/server/test-board.ts';
import { startServerProcess } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const CLOCK = import.meta.resolve('../../testing/server/shifted-clock.mjs');
const HOUR_MS = 3_600_000;
/** Of the screen's clock behind the server's: as long as a message may be under way on a busy machine. */
const DELAY_LIMIT_MS = 5_000;

let server: ServerProcess;
const board = openForAll(() =>
  startTestBoard({
    startServer: async (url) =>
      (server = await startServerProcess(url, { env: { NODE_OPTIONS: `--import=${CLOCK}` } })),
  }),
);

/** Sets the server's clock `hours` ahead of ours, hour by hour. */
async function jumpTo(hours: number): Promise<void> {
  const shifts = (): number[] =>
    [...server.stderr().matchAll(/shifted by (-?\d+) h/g)].map(([, shift]) => Number(shift));
  for (let at = shifts().at(-1) ?? 0; at !== hours; at = shifts().at(-1) ?? 0) {
    const { length } = shifts();
    server.child.kill(at < hours ? 'SIGUSR2' : 'SIGWINCH');
    await until(() => expect(shifts().length).toBe(length + 1));
  }
}

/** How many hours the clock on a screen is ahead of ours, less than a message's delay taken for none. */
function shownHours({ venueClock }: Screen): number {
  const aheadMs = (venueClock?.unixMs ?? Number.NaN) - Date.now();
  const hours = Math.round(aheadMs / HOUR_MS);
  return Math.abs(aheadMs - hours * HOUR_MS) < DELAY_LIMIT_MS ? hours || 0 : Number.NaN;
}

/** How old its numbers are, as it says; NaN: they are not said to be old. */
function ageMs({ board: { status } }: Screen): number {
  return status.kind === 'no-source' ? status.ageMs : Number.NaN;
}

/** How a call with this session is answered. */
async function statusWith(cookie: string): Promise<number> {
  const url = `${server.url}/api/events/${DEFAULT_EVENT_ID}/tickets/count?isValidTicket=true`;
  return (await fetch(url, { headers: { cookie } })).status;
}

let entered = 0;

test.each([
  ['ahead', 1],
  ['back', -1],
])(
  'the clock of the server jumps by an hour, %s: nothing is stale for it, ages and sessions go on, screens show its time',
  async (_what, hours) => {
    const { database, oracle, screen, epoch } = board;
    const cookie = await signIn(server.url);
    await until(() => expect(shownHours(screen)).toBe(0));
    const fromMs = performance.now();
    await jumpTo(hours);
    await oracle.write(1, () => setEntered(database.gates, `t${entered}`, true));
    entered += 1;
    await until(() => expect(screen.total).toBe(entered));
    // The stream that was open when the clock jumped hears of it with a heartbeat.
    await until(() => expect(shownHours(screen)).toBe(hours));
    expect(screen.displayed.filter(({ atMs }) => atMs > fromMs).every(({ live }) => live)).toBe(true);
    expect(screen.epoch).toBe(epoch);

    // Nobody gets in any more, so that what is shown grows old.
    await database.shut();
    const cutAtMs = performance.now();
    await until(() => expect(ageMs(screen)).toBeGreaterThan(1_500));
    const late = openScreen(server.url);
    // An age is sent once a second: wait until one has just been sent.
    await until(() => {
      for (const shown of [screen, late]) {
        const realMs = performance.now() - cutAtMs;
        expect(ageMs(shown)).toBeGreaterThan(realMs - 1_100);
        // The last position that was passed before the cut: at most a check and an answer older.
        expect(ageMs(shown)).toBeLessThan(realMs + 5_000);
      }
    });
    const loggedAt = Date.parse(String(server.logged.at(-1)?.['time']));
    expect(Math.abs(loggedAt - Date.now() - hours * HOUR_MS)).toBeLessThan(60_000);
    await database.allowConnections(true);
    await until(() => expect([screen.live, late.live]).toEqual([true, true]));
    expect(await statusWith(cookie)).toBe(200);
    // A stream that begins later knows of it from the beginning.
    await until(() => expect([shownHours(screen), shownHours(late)]).toEqual([hours, hours]));
    await board.expectExact(15_000, [screen, late]);
    await jumpTo(0);
  },
);

test('the clock of the server jumps past the end of sessions and back: open screens stay live, a new call signs in anew', async () => {
  const { screen } = board;
  const cookie = await signIn(server.url);
  await jumpTo(13);
  expect(await statusWith(cookie)).toBe(401);
  expect(await statusWith(await signIn(server.url))).toBe(200);
  await until(() => expect(shownHours(screen)).toBe(13));
  // Its session was counted from when its stream opened, by a clock that does not jump.
  expect(screen.live).toBe(true);
  await jumpTo(0);
  expect(await statusWith(cookie)).toBe(200);
  await board.expectExact();
});
