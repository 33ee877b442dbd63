import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Surroundings } from '../../server/main.ts';
import { FAULT_LIMITS } from './durations.ts';
import { Oracle } from './oracle.ts';
import { recount } from './recount.ts';
import { openScreen, type Screen } from './screen.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { setEntered } from './tickets.ts';
import { until } from './until.ts';

/** A board with everything that a fault test looks at. The parts may be replaced while it runs. */
export interface WatchedBoard {
  readonly database: TestDatabase;
  server: TestServer;
  readonly screen: Screen;
  readonly oracle: Oracle;
  /** Lets tickets enter, one commit after the other, until the returned function is called. */
  startWriting(everyMs?: number): () => Promise<void>;
  /** Waits until every screen is live and equals a recount by SQL; then no showing of them may have been a lie. */
  expectExact(limitMs?: number, screens?: readonly Screen[]): Promise<void>;
  close(): Promise<void>;
}

export interface WatchedBoardOptions {
  /** Tickets of sector 4 that have not entered yet, with the ids t0, t1 … */
  readonly tickets?: number;
  /** The server's way to the database, instead of the direct one (as through a proxy). */
  readonly observerUrl?: (database: TestDatabase) => string;
  readonly around?: Surroundings;
  /** The screen's way to the server, instead of the direct one. */
  readonly screenUrl?: (server: TestServer) => string;
}

export async function watchBoard(options: WatchedBoardOptions = {}): Promise<WatchedBoard> {
  const database = await createTestDatabase();
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4'
    from generate_series(0, ${(options.tickets ?? 5_000) - 1}) n`;
  const observerUrl = options.observerUrl?.(database) ?? database.observerUrl;
  const server = await startTestServer({ observerUrl }, {}, { limits: FAULT_LIMITS, ...options.around });
  const screen = openScreen(options.screenUrl?.(server) ?? server.url);
  const oracle = new Oracle();
  await until(() => expect(screen.live).toBe(true));
  let entered = 0;

  const board: WatchedBoard = {
    database,
    server,
    screen,
    oracle,
    startWriting(everyMs = 5) {
      const stopping = new AbortController();
      const writing = (async () => {
        while (!stopping.signal.aborted) {
          const id = `t${entered}`;
          await oracle.write(1, () => setEntered(database.gates, id, true));
          entered += 1;
          await new Promise((resolve) => setTimeout(resolve, everyMs));
        }
      })();
      return async () => {
        stopping.abort();
        await writing;
      };
    },
    async expectExact(limitMs = 15_000, screens = [screen]) {
      await until(async () => {
        const { total, sectors, others } = await recount(database.admin, DEFAULT_EVENT_ID);
        for (const { board: shown, live } of screens) {
          expect(shown.shown?.admissions).toEqual({ total, sectors, others });
          expect(live).toBe(true);
        }
      }, limitMs);
      for (const { showings } of screens) oracle.expectNoLie(showings);
    },
    async close() {
      screen.close();
      await board.server.stop();
      await database.drop();
    },
  };
  return board;
}
