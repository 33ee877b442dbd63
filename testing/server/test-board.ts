import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { closeOnce } from '../close-once.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { FAULT_LIMITS } from '../durations.ts';
import { recount, TotalHistory } from '../database/oracle.ts';
import { openScreen, type Screen } from '../browser/screen.ts';
import { startStopwatch, type Stopwatch } from '../stopwatch.ts';
import { startTicketWriter } from '../database/ticket-writer.ts';
import { type ServerOverrides, startTestServer, type TestServer } from './test-server.ts';
import { until } from '../until.ts';

/** A board with everything that a fault test looks at. The parts may be replaced while it runs. */
export interface TestBoard {
  readonly database: TestDatabase;
  server: TestServer;
  readonly screen: Screen;
  readonly oracle: TotalHistory;
  /** Lets tickets enter, one commit after the other (ticket-writer.mjs). Nobody else writes meanwhile. */
  startWriting(everyMs?: number): void;
  /** The oracle knows of them then. */
  stopWriting(): Promise<void>;
  /** Stops writing, and waits until every screen is live and equals a recount by SQL; then nothing displayed by them may have been wrong. */
  expectExact(limitMs?: number, screens?: readonly Screen[]): Promise<void>;
  /** Waits until the screen is live under another epoch than `epoch`, which must take no longer than `limitMs`. */
  expectNewEpoch(epoch: string | undefined, limitMs?: number): Promise<void>;
  /** Watches the work of the server and its sessions. */
  startStopwatch(): Stopwatch;
  /** Names the snapshot of what the screen shows. */
  readonly epoch: string | undefined;
  /** Stops everything; the server must leave nothing in the database. */
  close(): Promise<void>;
}

export interface TestBoardOptions {
  /** Another database than a new one of the shared cluster. */
  readonly database?: TestDatabase;
  /** Another server than one in this process. */
  readonly startServer?: (observerUrl: string) => Promise<TestServer>;
  /** Tickets of sector 4 that have not entered yet, with the ids t0, t1 … */
  readonly tickets?: number;
  /** The server's way to the database, instead of the direct one (as through a proxy). */
  readonly observerUrl?: (database: TestDatabase) => string;
  readonly overrides?: ServerOverrides;
}

export async function startTestBoard(options: TestBoardOptions = {}): Promise<TestBoard> {
  const database = options.database ?? (await createTestDatabase());
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4'
    from generate_series(0, ${(options.tickets ?? 5_000) - 1}) n`;
  const observerUrl = options.observerUrl?.(database) ?? database.observerUrl;
  const startServer =
    options.startServer ??
    (() => startTestServer({ observerUrl }, {}, { limits: FAULT_LIMITS, ...options.overrides }));
  const server = await startServer(observerUrl);
  let onChange: () => void = () => {};
  const screen = openScreen(server.url, { onChange: () => onChange() });
  const oracle = new TotalHistory();
  await until(() => expect(screen.live).toBe(true));
  let entered = 0;
  let stopWriting = async (): Promise<void> => {};

  const board: TestBoard = {
    database,
    server,
    screen,
    oracle,
    startWriting(everyMs) {
      const writer = startTicketWriter({ urls: [database.gatesUrl], first: entered, everyMs });
      stopWriting = async () => {
        stopWriting = async () => {};
        const commits = await writer.stop();
        entered += commits.length;
        oracle.add(commits);
      };
    },
    stopWriting: () => stopWriting(),
    async expectExact(limitMs = 15_000, screens = [screen]) {
      await stopWriting();
      await until(async () => {
        const right = await recount(database.admin);
        for (const { board: shown, live } of screens) {
          expect(shown.shown?.counts).toEqual(right);
          expect(live).toBe(true);
        }
      }, limitMs);
      for (const { displayed } of screens) expect(oracle.violationsOf(displayed)).toEqual([]);
    },
    get epoch() {
      return screen.epoch;
    },
    async expectNewEpoch(epoch, limitMs = 60_000) {
      const stopwatch = board.startStopwatch();
      // Without looking again and again: on a busy machine, a process that wakes often waits for a processor all the time.
      await new Promise<void>((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error('not live under another epoch')), 60_000);
        onChange = () => {
          if (board.epoch === epoch || !screen.live) return;
          clearTimeout(limit);
          onChange = () => {};
          resolve();
        };
        onChange();
      });
      expect(await stopwatch.elapsedMs()).toBeLessThan(limitMs);
    },
    startStopwatch: () => startStopwatch({ pids: () => [board.server.pid], observersIn: database }),
    close: closeOnce(async () => {
      screen.close();
      await board.server.stop();
      await expectNothingHeld(database);
      await database.drop();
    }),
  };
  return board;
}

/** Fails if a server that has ended still holds a slot or a session in the database. */
export async function expectNothingHeld(database: TestDatabase): Promise<void> {
  await until(async () => {
    const [held] = await database.admin<[{ slots: number; sessions: number }]>`
      select (select count(*)::int from pg_replication_slots where database = ${database.name}) as slots,
        (select count(*)::int from pg_stat_activity
          where datname = ${database.name} and usename = 'triagem_observer') as sessions`;
    expect(held).toEqual({ slots: 0, sessions: 0 });
  }, 2_000);
}
