import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { MINUTE_MS } from '../domain/flow/minute.ts';
import { OBSERVING_LIMITS } from '../server/observing/limits.ts';
import { closeOnce } from './close-once.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { deskSettings } from './desk-app.ts';
import { driveClock } from './driven-clock.ts';
import { startTestServer, type TestServer, untilReady } from './test-server.ts';

/** A minute of the match takes a second. */
const SPEED = 60;
/** People who come to each sector in a minute of the match, and how often they are let in, in real time. */
const PER_MINUTE = 40;
const STEP_MS = 250;
const VALID = 4_000;

/** In real time: the rule wants ten minutes that ended three minutes before, and two without anybody. */
export const BEFORE_STOP_MS = 16_000;

/** Real gates, real database, and servers whose clock is that of the match, sixty times as fast. */
export interface AlarmMatch {
  readonly database: TestDatabase;
  /** Where minutes and log are kept. */
  readonly recordDatabase: TestDatabase;
  /** Sectors that let nobody in from now on. */
  readonly stopped: Set<string>;
  /** By the clock of the match. */
  nowMs(): number;
  startServer(env?: Readonly<Record<string, string>>): Promise<TestServer>;
}

export interface AlarmMatchOptions {
  readonly sectors?: readonly string[];
  readonly hasRecordOfItsOwn?: boolean;
}

export async function openAlarmMatch(options: AlarmMatchOptions = {}): Promise<AlarmMatch> {
  const { sectors = ['4', '7', '99'], hasRecordOfItsOwn = false } = options;
  const database = await createTestDatabase();
  const recordDatabase = hasRecordOfItsOwn ? await createTestDatabase() : database;
  for (const sector of sectors) {
    await database.gates`
      insert into public.tickets (event_id, id, setor, entrou, is_valid_ticket)
      select ${DEFAULT_EVENT_ID}, ${`${sector}-`} || seat, ${sector}, false, true
      from generate_series(0, ${VALID - 1}) seat`;
  }
  const driven = driveClock(Date.now(), SPEED);
  const nowMs = driven.nowMs();
  await database.gates`
    insert into public.event_details (event_id, title, gates_open_at, kick_off_at)
    values (${DEFAULT_EVENT_ID}, 'Palestra × Atlético', ${new Date(nowMs - 30 * MINUTE_MS)},
      ${new Date(nowMs + 70 * MINUTE_MS)})`;
  const stopped = new Set<string>();
  letIn(database, sectors, stopped);
  return {
    database,
    recordDatabase,
    stopped,
    nowMs: () => driven.nowMs(),
    async startServer(env = {}) {
      const server = await startTestServer(
        database,
        { ...deskSettings(recordDatabase), ...env },
        { limits: { ...OBSERVING_LIMITS, checkEveryMs: 200 }, flowClock: driven.clock },
      );
      await untilReady(server);
      return server;
    },
  };
}

/** Until the test ends. */
function letIn({ gates }: TestDatabase, sectors: readonly string[], stopped: ReadonlySet<string>): void {
  let seat = 0;
  const timer = setInterval(() => {
    const count = Math.round((PER_MINUTE * SPEED * STEP_MS) / MINUTE_MS);
    const ids = sectors
      .filter((sector) => !stopped.has(sector))
      .flatMap((sector) => Array.from({ length: count }, (_, next) => `${sector}-${seat + next}`));
    seat += count;
    gates`update public.tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = any (${ids})`.catch(
      () => {},
    );
  }, STEP_MS);
  closeOnce(() => clearInterval(timer));
}
