import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { createEvent } from '../../../gates/events/create.ts';
import { setSector } from '../../../gates/events/sector/set.ts';
import { freePort } from '../../../testing/server/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database/database.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { type DeskClient, openDesk } from '../../../testing/desk/desk-client.ts';
import { startServerProcess } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';
import { eventTime, importEarlierMatches } from './earlier-matches.ts';
import type { Deed, MatchHistory } from './match-history.ts';
import { planCommits, type PlannedCommits, ticketsOf } from './planned-match.ts';

/** Between what is said of the event and its gates' opening, by this machine's clock. */
const NOTICE_MS = 2_000;
const AWAY_MS = 500;
/** What a boundary holds is known this long after it, by this machine's clock: the match goes on meanwhile. */
const KNOWN_AFTER_MS = 3_000;

/** A row of triagem.log. */
export interface LogLine {
  readonly id: string;
  readonly atMs: number;
  readonly kind: string;
  readonly sector: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A match that is over. Times are of the flow's clock. */
export interface PlayedMatch {
  readonly kickOffMs: number;
  readonly log: readonly LogLine[];
  /** When each ticket entered, by sector, as its commit says; in order. */
  readonly entriesMs: ReadonlyMap<string, readonly number[]>;
  /** The ids of the entries that the deeds made, by their numbers. */
  readonly deeds: readonly (string | undefined)[];
  /** How much later than planned tickets were let in, at most: this machine had something else to do. */
  readonly lateMs: number;
}

/** A history whose tickets are sold, and whose earlier matches are recorded. */
export interface PreparedHistory {
  /** Its server starts; nobody has entered when it is ready. */
  open(): Promise<OpenHistory>;
}

interface OpenHistory {
  play(): Promise<PlayedMatch>;
  /** Its server ends. */
  close(): Promise<void>;
}

/** `speed`: how many times faster the match goes than the clock of this machine. */
export async function prepareHistory(history: MatchHistory, speed: number): Promise<PreparedHistory> {
  const database = await createTestDatabase();
  await sellTickets(database, history);
  if (history.hasEarlierMatches) await importEarlierMatches(database);
  const plan = planCommits(history.match);
  return { open: () => openHistory({ history, database, plan, clock: { sinceMs: Date.now(), speed } }) };
}

async function openHistory(stage: Stage): Promise<OpenHistory> {
  const { database, clock } = stage;
  const port = await freePort();
  const start = () =>
    startServerProcess(database.observerUrl, {
      port,
      script: 'testing/desk/sped-up-server.mjs',
      env: {
        DESK_KEY,
        RECORD_DATABASE_URL: database.recordUrl,
        FLOW_SPEED: String(clock.speed),
        FLOW_SINCE_MS: String(clock.sinceMs),
      },
    });
  let server = await start();
  await server.serves('/readyz');
  const desk = await openDesk(server.url, { name: 'Ana Lúcia', key: DESK_KEY });
  const restart = async (): Promise<void> => {
    await server.end('SIGKILL');
    await pause(AWAY_MS);
    server = await start();
  };
  return { play: () => playHistory(stage, desk, restart), close: () => server.stop() };
}

interface Stage {
  readonly history: MatchHistory;
  readonly database: TestDatabase;
  readonly plan: readonly PlannedCommits[];
  readonly clock: { readonly sinceMs: number; readonly speed: number };
}

async function playHistory(
  { history, database, plan, clock }: Stage,
  desk: DeskClient,
  restart: () => Promise<void>,
): Promise<PlayedMatch> {
  const { sinceMs, speed } = clock;
  const { match, deeds = [] } = history;
  const flowMs = (atMs: number): number => sinceMs + (atMs - sinceMs) * speed;
  const opensMs = Math.ceil(flowMs(Date.now() + NOTICE_MS) / MINUTE_MS) * MINUTE_MS;
  const kickOffMs = opensMs - match.opensAt * MINUTE_MS;
  /** Resolves with how late it is, by the match's clock, as soon as it is asked for. */
  const arrive = async (minute: number): Promise<() => number> => {
    const atMs = sinceMs + (kickOffMs + minute * MINUTE_MS - sinceMs) / speed;
    await pause(Math.max(0, atMs - Date.now()));
    return () => (Date.now() - atMs) * speed;
  };
  const times = ['--gates-open', eventTime(opensMs), '--kick-off', eventTime(kickOffMs)];
  await createEvent.run(['--id', DEFAULT_EVENT_ID, '--title', 'Palestra × Atlético', ...times], {
    GATES_DATABASE_URL: database.gatesUrl,
  });
  const done: (string | undefined)[] = [];
  const act = async (): Promise<void> => {
    for (const deed of deeds) {
      await arrive(deed.at);
      if ('restarts' in deed) await restart();
      done.push(
        'restarts' in deed ? undefined : await tell(desk, await commandOf(deed, database, kickOffMs)),
      );
    }
  };
  const [lateMs] = await Promise.all([letIn(plan, database, arrive), act()]);
  await arrive(match.endsAt);
  await pause(KNOWN_AFTER_MS);
  return {
    kickOffMs,
    log: await readLog(database),
    entriesMs: await readEntries(database, flowMs),
    deeds: done,
    lateMs,
  };
}

/** Resolves with how late it was, at most. */
async function letIn(
  plan: readonly PlannedCommits[],
  { gates }: TestDatabase,
  arrive: (minute: number) => Promise<() => number>,
): Promise<number> {
  let lateMs = 0;
  for (const { minute, commits } of plan) {
    const late = await arrive(minute);
    for (const ids of commits) {
      await gates`
        update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id in ${gates([...ids])} and not entrou`;
    }
    lateMs = Math.max(lateMs, late());
  }
  return lateMs;
}

async function commandOf(
  deed: Exclude<Deed, { readonly restarts: true }>,
  database: TestDatabase,
  kickOffMs: number,
): Promise<Readonly<Record<string, unknown>>> {
  if ('says' in deed) return deed.says;
  if ('putsKickOffTo' in deed) {
    return { kind: 'kick-off', kickOffAtMs: kickOffMs + deed.putsKickOffTo * MINUTE_MS };
  }
  if ('ends' in deed) {
    const entryId = await findEntry(database, ({ kind }) => kind === deed.ends);
    return { kind: 'take-back', entryId, why: 'ended' };
  }
  const alarm = await findEntry(
    database,
    ({ kind, sector }) => kind === 'alarm' && sector === deed.acknowledges,
  );
  return { kind: 'acknowledge', alarm, note: 'alguém vai lá' };
}

/** The id of the newest such entry, once there is one. */
async function findEntry(
  database: TestDatabase,
  isIt: (line: LogLine) => boolean,
): Promise<string | undefined> {
  let found: LogLine | undefined;
  await until(async () => {
    found = (await readLog(database)).findLast(isIt);
    expect(found).toBeDefined();
  });
  return found?.id;
}

/** Sends it again while the record is away; the id of its entry. */
async function tell(desk: DeskClient, command: Readonly<Record<string, unknown>>): Promise<string> {
  const id = crypto.randomUUID();
  for (;;) {
    const response = await desk.command({ ...command, id });
    const answer = await response.text();
    if (response.status === 200) return id;
    if (response.status !== 503) throw new Error(`${JSON.stringify(command)}: ${response.status} ${answer}`);
    await pause(20);
  }
}

async function sellTickets(database: TestDatabase, { match, capacities = {} }: MatchHistory): Promise<void> {
  for (const [sector, valid] of ticketsOf(match)) {
    await database.gates`
      insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
      select ${DEFAULT_EVENT_ID}, ${sector} || '-' || number, true, false, ${sector}
      from generate_series(0, ${valid - 1}::int) as number`;
  }
  for (const [sector, capacity] of Object.entries(capacities)) {
    await setSector.run([sector, '--capacity', String(capacity), '--event', DEFAULT_EVENT_ID], {
      GATES_DATABASE_URL: database.gatesUrl,
    });
  }
}

async function readLog({ admin }: TestDatabase): Promise<LogLine[]> {
  const rows = await admin<LogLine[]>`
    select id, (extract(epoch from at) * 1000)::float8 as "atMs", kind, sector, data
    from triagem.log where event_id = ${DEFAULT_EVENT_ID} order by seq`;
  return [...rows];
}

/** A ticket is written twice: sold, and let in. */
async function readEntries(
  { admin }: TestDatabase,
  flowMs: (atMs: number) => number,
): Promise<PlayedMatch['entriesMs']> {
  const rows = await admin<{ sector: string; atMs: number[] }[]>`
    select setor as sector, json_agg(at order by at) as "atMs"
    from (
      select setor, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
      from tickets where event_id = ${DEFAULT_EVENT_ID} and entrou) as entries
    group by setor`;
  return new Map(rows.map(({ sector, atMs }) => [sector, atMs.map(flowMs)]));
}
