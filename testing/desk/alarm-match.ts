import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import { closeOnce } from '../close-once.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { deskSettings } from './desk-app.ts';
import { type DrivenClock, driveClock } from './driven-clock.ts';
import { startTestServer, type TestServer, untilReady } from '../server/test-server.ts';
import { until } from '../until.ts';

/** People who come to each sector in a minute of the match. */
const PER_MINUTE = 40;
const VALID = 4_000;
/** The clock of the match stands still while gates commit, then goes on by this much: a busy machine makes no pause at a gate. */
const STEP_MS = 15_000;
const STEP_EVERY_MS = 250;
/** The rule wants ten minutes that ended three minutes before. */
const BEFORE_STOP_MS = 16 * MINUTE_MS;

/** Real gates, real database, and servers whose clock is that of the match: a minute of it takes a second. */
export interface AlarmMatch {
  readonly database: TestDatabase;
  /** The database of minutes and log. */
  readonly recordDatabase: TestDatabase;
  /** Sectors that let nobody in from now on. */
  readonly stopped: Set<string>;
  /** Waits until servers have observed enough to find that a sector has stopped. */
  untilUsualIsKnown(): Promise<void>;
  startServer(env?: Readonly<Record<string, string>>): Promise<TestServer>;
}

interface Gates {
  readonly sectors: readonly string[];
  readonly driven: DrivenClock;
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
  const driven = driveClock(Date.now(), 0);
  const nowMs = driven.nowMs();
  await database.gates`
    insert into public.event_details (event_id, title, gates_open_at, kick_off_at)
    values (${DEFAULT_EVENT_ID}, 'Palestra × Atlético', ${new Date(nowMs - 30 * MINUTE_MS)},
      ${new Date(nowMs + 70 * MINUTE_MS)})`;
  const stopped = new Set<string>();
  letIn({ database, sectors, stopped, driven });
  return {
    database,
    recordDatabase,
    stopped,
    untilUsualIsKnown() {
      const fromMs = driven.nowMs();
      return until(() => expect(driven.nowMs()).toBeGreaterThan(fromMs + BEFORE_STOP_MS), 120_000);
    },
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

function letIn(match: Pick<AlarmMatch, 'database' | 'stopped'> & Gates): void {
  const { database, sectors, stopped, driven } = match;
  const ending = new AbortController();
  const count = (PER_MINUTE * STEP_MS) / MINUTE_MS;
  const running = (async () => {
    for (let seat = 0; !ending.signal.aborted; seat += count) {
      const ids = sectors
        .filter((sector) => !stopped.has(sector))
        .flatMap((sector) => Array.from({ length: count }, (_, next) => `${sector}-${seat + next}`));
      await database.gates`
        update public.tickets set entrou = true
        where event_id = ${DEFAULT_EVENT_ID} and id in ${database.gates(ids)}`;
      driven.advance(STEP_MS);
      await pause(STEP_EVERY_MS);
    }
  })();
  closeOnce(async () => {
    ending.abort();
    await running;
  });
}
