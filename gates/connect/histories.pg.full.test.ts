import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { IS_FULL, repetitions } from '../../testing/durations.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { openConnectedBoard } from '../../testing/gates/connected-board.ts';
import { admitByPassword } from '../../testing/gates/vendor.ts';
import type { TicketingSystem } from '../../testing/gates/ticketing-system.ts';
import { PRETIX, TICKETING_SYSTEMS } from '../../testing/gates/ticketing-systems.ts';
import { recount } from '../../testing/database/oracle.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { startProgram } from '../../testing/server/program.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { errorMessage } from '../cli/errors.ts';
import { compare } from './compare.ts';

const SESSIONS = 8;
const HOT_TICKETS = 12;

/** What two sessions that are in each other's way, or a server that stops, tell a gate to do again. */
const AGAIN = /^(40P01|23503|23505|57P0\d|CONNECTION_\w+|ECONN\w+|CONNECT_TIMEOUT)$/;

/** Works on few tickets, from eight sessions, alone and in transactions, until each has done so much. */
async function work(url: string, { operations }: TicketingSystem, times: number): Promise<void> {
  const anyTicket = (): number => 1 + Math.floor(Math.random() * HOT_TICKETS);
  const operate = (sql: postgres.Sql): Promise<unknown> =>
    operations[Math.floor(Math.random() * operations.length)]?.(sql, anyTicket()) ?? Promise.resolve();
  const once = async (sql: postgres.Sql): Promise<void> => {
    if (Math.random() < 0.5) {
      await operate(sql);
      return;
    }
    await sql`begin`;
    try {
      await operate(sql);
      await pause(Math.random() * 5);
      await operate(sql);
      await (Math.random() < 0.1 ? sql`rollback` : sql`commit`);
    } catch (error) {
      await sql`rollback`;
      throw error;
    }
  };
  const session = async (): Promise<void> => {
    for (let done = 0; done < times;) {
      // A statement that begins as the connection breaks may never end: the session is over then.
      const lost = new AbortController();
      const onclose = (): void => lost.abort(new Error('CONNECTION_CLOSED'));
      const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, onclose });
      const over = rejectOn(lost.signal);
      try {
        for (; done < times; done += 1) await Promise.race([once(sql), over]);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : errorMessage(error);
        if (!AGAIN.test(code)) throw error;
        await pause(20);
      } finally {
        await sql.end({ timeout: 0 });
      }
    }
  };
  await Promise.all(Array.from({ length: SESSIONS }, session));
}

/** Rejects with the reason once the signal is aborted. */
function rejectOn(signal: AbortSignal): Promise<never> {
  const rejecting = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  rejecting.catch(() => {});
  return rejecting;
}

/** The one with the most tables in `npm run check`. */
test.each(IS_FULL ? TICKETING_SYSTEMS : [PRETIX])(
  '$name: whatever eight sessions do to few tickets, and whatever is killed, the board is a recount at each pause',
  async (system) => {
    const theirs = await startTestCluster({ settings: { max_connections: '50' } });
    const cluster = await startTestCluster({
      isUnrelated: true,
      settings: { wal_retrieve_retry_interval: '200ms' },
    });
    const board = await openConnectedBoard(system, { theirs: theirs.database, ours: cluster.database });
    const { ours, env } = board;
    const { SOURCE_DATABASE_URL = '' } = env;
    const server = await startTestServer(ours, { SOURCE_DATABASE_URL });
    const screen = openScreen(server.url);
    // What is copied may pass through the state of the end on its way there, as that of an empty list: all is read anew.
    const untilShown = (): Promise<void> =>
      until(async () => {
        await board.untilExact(60_000);
        const { total, sectors, others } = await recount(ours.admin);
        expect(screen.live).toBe(true);
        expect(screen.board.shown?.counts).toMatchObject({ total, sectors, others });
      }, 60_000);

    // Connected in the middle of it all, by a process that is killed again and again.
    const working = work(theirs.database.adminUrl, system, repetitions(60, 40));
    for (const killAfterMs of IS_FULL ? [1_500, 2_500, 4_000] : [1_500, 3_000]) {
      const main = join(PROJECT_ROOT, 'gates/main.ts');
      const program = startProgram(process.execPath, [main, 'connect', ...system.options, '--yes'], { env });
      await Promise.race([pause(killAfterMs), program.ended]);
      await program.end('SIGKILL');
    }
    await working;
    await until(async () => {
      // By chance no ticket is left on the list: the sessions go on until there is one.
      await work(theirs.database.adminUrl, system, 1);
      await board.connect();
    }, 60_000);
    await untilShown();

    for (let round = 0; round < repetitions(6, 1); round += 1) {
      const again = work(theirs.database.adminUrl, system, repetitions(60, 25));
      for (const killed of [theirs, cluster]) {
        await killed.signalAll('SIGKILL');
        await killed.start({ max_connections: '50', wal_retrieve_retry_interval: '200ms' });
        await killed.answersAgain();
        // Its start writes who may connect anew.
        if (killed === theirs) await admitByPassword(theirs.database.admin);
      }
      await again;
      await work(theirs.database.adminUrl, system, 20);
      await untilShown();
    }
    expect(await board.run(compare, [])).toMatch(/all the same here/);
  },
);
