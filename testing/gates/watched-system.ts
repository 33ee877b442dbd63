import { expect } from 'vitest';
import { openScreen, type Screen } from '../browser/screen.ts';
import { recount } from '../database/oracle.ts';
import { duration, FAULT_LIMITS } from '../durations.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { until } from '../until.ts';
import { openConnectedBoard, type ConnectedBoard } from './connected-board.ts';
import type { TicketingSystem } from './ticketing-system.ts';

export const STALE_WITHIN_MS = duration(5_000, 1_250);
export const MENDED_WITHIN_MS = 60_000;

/** A connected system, and a board with its wall. */
export interface WatchedSystem extends ConnectedBoard {
  readonly server: TestServer;
  readonly screen: Screen;
  /** Waits until the board shows as live what the system has now. */
  untilShown(limitMs?: number): Promise<void>;
}

export async function openWatchedSystem(system: TicketingSystem): Promise<WatchedSystem> {
  const board = await openConnectedBoard(system);
  const { SOURCE_DATABASE_URL = '' } = board.env;
  const server = await startTestServer(board.ours, { SOURCE_DATABASE_URL }, { limits: FAULT_LIMITS });
  const screen = openScreen(server.url);
  return {
    ...board,
    server,
    screen,
    untilShown: async (limitMs = MENDED_WITHIN_MS) => {
      await board.untilExact(limitMs);
      const { total } = await recount(board.ours.admin);
      await until(() => expect([screen.live, screen.total]).toEqual([true, total]), limitMs);
    },
  };
}
