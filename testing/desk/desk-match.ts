import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogEntry } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { type Minute, MINUTE_MS, minuteOf } from '../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import { RECORD_LIMITS } from '../../desk/record/record-limits.ts';
import { RecordSession } from '../../desk/record/record-session.ts';
import { closeOnce } from '../close-once.ts';
import { createTestDatabase, newEventId, type TestDatabase } from '../database/database.ts';
import { deskSettings } from './desk-app.ts';
import { driveClock, type DrivenClock } from './driven-clock.ts';
import { generateMatch } from '../../gates/simulator/generated/generated-match.ts';
import { parseIncident } from '../../gates/simulator/incidents.ts';
import { serverEntry } from '../server/server-entry.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import {
  type ServerOverrides,
  startUnclosedServer,
  type TestServer,
  untilReady,
} from '../server/test-server.ts';

const CODES = DEFAULT_VENUE.sectors.map(({ code }) => code);
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const GATES_OPEN_MIN = -120;
const INTO_MINUTE_MS = 5_000;
/** The server notices soon how the test sets the clock. */
const LIMITS = { ...OBSERVING_LIMITS, checkEveryMs: 200 };

export interface DeskMatchOptions {
  /** The same seed gives the same match. */
  readonly seed?: number;
  /** Minutes from now; negative after kick-off. */
  readonly minutesToKickOff?: number;
  /** Whether the event has an opening of the gates and a kick-off. */
  readonly hasTimes?: boolean;
  readonly earlierMatches?: number;
  /** In each of the thirteen sectors. */
  readonly tickets?: number;
  /** Unobserved minutes to kick-off: the first, and the one after the last. */
  readonly unwatchedMin?: readonly [fromMin: number, toMin: number];
  /** Incidents in the grammar of the gates tool: `stop:7@-40+30`. */
  readonly incidents?: readonly string[];
  /** How many times as fast as real time the flow's clock runs once the server is ready; by default as fast. */
  readonly speed?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: ServerOverrides;
}

/**
 * A server with a desk, in the middle of a match whose minutes so far are in its record. The flow's clock is the test's: it
 * begins a few seconds into the minute that follows them, and stands until the server is ready.
 */
export interface DeskMatch {
  readonly database: TestDatabase;
  readonly server: TestServer;
  readonly kickOffMs: number;
  readonly clock: DrivenClock;
  /** Stops the server, and starts it anew at the same address, perhaps as another one. */
  restart(options?: Pick<DeskMatchOptions, 'env' | 'overrides'>): Promise<void>;
  /** Lets in `count` people of a sector who have not entered. */
  enter(sector: string, count: number): Promise<void>;
  /** Plays a minute in which `count` people enter each sector that is not among `stopped`. */
  playMinute(count: number, stopped?: readonly string[]): Promise<void>;
  /** Permits in a sector what `readCapacity` makes of how many are in. */
  permit(sector: string, readCapacity: (admitted: number) => number): Promise<void>;
}

export async function startDeskMatch(options: DeskMatchOptions = {}): Promise<DeskMatch> {
  const { seed = 1, minutesToKickOff = 24, hasTimes = true, earlierMatches = 0, tickets = 400 } = options;
  const database = await createTestDatabase();
  const nowMs = minuteOf(Date.now());
  const kickOffMs = nowMs + minutesToKickOff * MINUTE_MS;
  for (let week = 1; week <= earlierMatches; week += 1) {
    await recordMatch(database, newEventId(), {
      seed: seed + week,
      tickets,
      kickOffMs: kickOffMs - week * WEEK_MS,
      untilMin: 62,
    });
  }
  const admitted = await recordMatch(database, DEFAULT_EVENT_ID, {
    seed,
    tickets,
    kickOffMs,
    untilMin: -minutesToKickOff,
    hasTimes,
    unwatchedMin: options.unwatchedMin,
    incidents: options.incidents,
  });
  for (const [place, code] of CODES.entries()) {
    await database.gates`
      insert into public.tickets (event_id, id, setor, entrou, is_valid_ticket)
      select ${DEFAULT_EVENT_ID}, ${`${code}-`} || seat, ${code}, seat < ${admitted[place] ?? 0}, true
      from generate_series(0, ${tickets - 1}) seat`;
  }
  if (hasTimes) {
    await database.gates`
      insert into public.event_details (event_id, title, gates_open_at, kick_off_at)
      values (${DEFAULT_EVENT_ID}, 'Palestra × Atlético', ${new Date(kickOffMs + GATES_OPEN_MIN * MINUTE_MS)},
        ${new Date(kickOffMs)})`;
  }
  const clock = driveClock(nowMs + INTO_MINUTE_MS, 0);
  let server: TestServer;
  const start = async ({ env, overrides }: Pick<DeskMatchOptions, 'env' | 'overrides'>): Promise<void> => {
    const settings = { ...deskSettings(database), ...env };
    server = await startUnclosedServer(database, settings, {
      limits: LIMITS,
      flowClock: clock.clock,
      ...overrides,
    });
    await untilReady(server);
  };
  // One that a test starts anew lives as long as the match.
  closeOnce(() => server.stop());
  await start(options);
  clock.setSpeed(options.speed ?? 1);
  return {
    database,
    get server() {
      return server;
    },
    kickOffMs,
    clock,
    async restart({ env, ...other } = {}) {
      await server.stop();
      await start({ env: { PORT: new URL(server.url).port, ...env }, ...other });
    },
    async enter(sector, count) {
      await database.gates`
        update public.tickets set entrou = true where (event_id, id) in (
          select event_id, id from public.tickets
          where event_id = ${DEFAULT_EVENT_ID} and setor = ${sector} and not entrou limit ${count})`;
    },
    async playMinute(count, stopped = []) {
      await database.gates`
        update public.tickets set entrou = true where (event_id, id) in (
          select event_id, id from (
            select *, row_number() over (partition by setor order by id) as place from public.tickets
            where event_id = ${DEFAULT_EVENT_ID} and not entrou and setor <> all (string_to_array(${stopped.join()}, ','))) waiting
          where place <= ${count})`;
      clock.advance(MINUTE_MS);
    },
    async permit(sector, readCapacity) {
      const [row] = await database.admin<{ admitted: number }[]>`
        select count(*)::int as admitted from public.tickets
        where event_id = ${DEFAULT_EVENT_ID} and setor = ${sector} and entrou`;
      const data = database.gates.json({ capacity: readCapacity(row?.admitted ?? 0) });
      await database.gates`
        insert into public.sectors (event_id, code, data) values (${DEFAULT_EVENT_ID}, ${sector}, ${data})
        on conflict (event_id, code) do update set data = excluded.data`;
    },
  };
}

interface RecordedOptions {
  readonly seed: number;
  readonly tickets: number;
  readonly kickOffMs: number;
  readonly untilMin: number;
  readonly hasTimes?: boolean;
  readonly unwatchedMin?: readonly [fromMin: number, toMin: number] | undefined;
  readonly incidents?: readonly string[] | undefined;
}

/** Returns the recorded minutes of such a match, without unobserved ones. */
function playedMinutes(options: Omit<RecordedOptions, 'hasTimes' | 'unwatchedMin'>): readonly Minute[] {
  const { seed, tickets, kickOffMs, untilMin, incidents = [] } = options;
  const series = new FlowSeries({ sectorCount: CODES.length + 1 });
  const sectors = CODES.map((code) => ({ code, valid: tickets }));
  const match = generateMatch({ seed, sectors, incidents: incidents.map(parseIncident) });
  playMatch(match, series, { kickOffMs, untilMinute: untilMin });
  return series.minutes(0, Number.POSITIVE_INFINITY);
}

/** Returns how many are in at the end, by sector. */
async function recordMatch(
  { recordUrl }: TestDatabase,
  eventId: string,
  { hasTimes = true, unwatchedMin, ...played }: RecordedOptions,
): Promise<readonly number[]> {
  const { kickOffMs } = played;
  const minutes = playedMinutes(played);
  const session = new RecordSession({
    url: recordUrl,
    place: { setting: 'RECORD_DATABASE_URL' },
    eventId,
    source: 'live',
    rows: DEFAULT_VENUE.sectors,
    limits: RECORD_LIMITS,
  });
  await session.readLog();
  const [unwatchedFrom, unwatchedTo] = (unwatchedMin ?? [Infinity, Infinity]).map(
    (min) => kickOffMs + min * MINUTE_MS,
  ) as [number, number];
  const watched = minutes.filter(({ minuteMs }) => minuteMs < unwatchedFrom || minuteMs >= unwatchedTo);
  await session.addMinutes(watched.slice(0, -1));
  // In a commit of its own, as a server writes it: else all of them would count as restored.
  await session.addMinutes(watched.slice(-1));
  const fromMs = minutes[0]?.minuteMs ?? kickOffMs;
  const gatesOpenAtMs = kickOffMs + GATES_OPEN_MIN * MINUTE_MS;
  const times = serverEntry('times', 'times', { gatesOpenAtMs, kickOffAtMs: kickOffMs }, fromMs);
  const started: LogEntry = serverEntry('started', 'started', { version: '1' }, fromMs);
  for (const entry of hasTimes ? [started, times] : [started]) await session.addEntry(entry);
  await session.end();
  return (minutes.at(-1)?.sectors ?? []).map(({ admitted }) => admitted);
}
