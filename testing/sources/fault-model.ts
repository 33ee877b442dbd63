import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, newEventId, type TestDatabase } from '../database/database.ts';
import { FAULT_LIMITS, IS_FULL } from '../durations.ts';
import { type Network, startNetwork } from '../server/network.ts';
import { recount, TotalHistory, watchForViolations } from '../database/oracle.ts';
import { openScreen, type Screen } from '../browser/screen.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { until } from '../until.ts';

export type StepKind = keyof typeof TAKE;

export interface Step {
  readonly kind: StepKind;
  /** How many tickets, of those that fit. */
  readonly size: number;
  readonly salt: number;
  /** Before the next step. */
  readonly pauseMs: number;
}

/** A board to which anything may happen. */
export interface FaultModel {
  take(step: Step): Promise<void>;
  /** Takes all faults away; then every screen must come to equal a recount by SQL, and nothing was shown that must not be. */
  expectExact(): Promise<void>;
  /** How often each kind of step has been taken. */
  readonly taken: Readonly<Record<string, number>>;
  close(): Promise<void>;
}

interface Parts {
  readonly database: TestDatabase;
  server: TestServer;
  readonly history: TotalHistory;
  readonly network: Network;
  readonly slowNetwork: Network;
  readonly screens: Screen[];
  readonly violations: string[];
  inserted: number;
  /** Writers that leave the total as it is go on beside the steps. */
  readonly beside: Promise<unknown>[];
}

const OTHER_EVENT = newEventId();
const SECTOR_CODES = ['4', '6', '11', '99', '04', '10', ''];
const MAX_SCREENS = 12;

function addScreen(parts: Parts, url: string): void {
  if (parts.screens.length >= MAX_SCREENS) return;
  // A transaction that made a total may still be waiting for its answer.
  const onChange = watchForViolations(parts.history, (violation) => parts.violations.push(violation), 1_000);
  parts.screens.push(openScreen(url, { keepsHistory: false, onChange }));
}

/** One transaction, and the total that it leaves. */
function write({ database, history }: Parts, sql: string): Promise<void> {
  return history.writeTotal(() =>
    database.admin.begin(async (transaction) => {
      await transaction.unsafe(sql);
      const [row] = await transaction<[{ total: number }]>`
        select count(*)::int as total from tickets where event_id = ${DEFAULT_EVENT_ID} and entrou`;
      return row.total;
    }),
  );
}

function some({ size, salt }: Step, condition: string): string {
  return `(event_id, id) in (select event_id, id from tickets where ${condition} order by md5(id || ${salt}) limit ${size})`;
}

const OURS = `event_id = '${DEFAULT_EVENT_ID}'`;

function sectorOf({ salt }: Step): string {
  return SECTOR_CODES[salt % SECTOR_CODES.length] ?? '4';
}

const TAKE = {
  insert: (parts, step) => {
    const first = parts.inserted;
    parts.inserted += step.size;
    return write(
      parts,
      `insert into tickets select '${DEFAULT_EVENT_ID}', 'n' || n, n % 5 > 0, n % 3 > 0, '${sectorOf(step)}'
       from generate_series(${first}, ${first + step.size - 1}) n`,
    );
  },
  enter: (parts, step) =>
    write(parts, `update tickets set entrou = true where ${some(step, `${OURS} and not entrou`)}`),
  revert: (parts, step) =>
    write(parts, `update tickets set entrou = false where ${some(step, `${OURS} and entrou`)}`),
  remove: (parts, step) => write(parts, `delete from tickets where ${some(step, OURS)}`),
  leaveForAnotherEvent: (parts, step) =>
    write(parts, `update tickets set event_id = '${OTHER_EVENT}' where ${some(step, OURS)}`),
  comeFromAnotherEvent: (parts, step) =>
    write(
      parts,
      `update tickets set event_id = '${DEFAULT_EVENT_ID}' where ${some(step, `event_id = '${OTHER_EVENT}'`)}`,
    ),
  truncate: (parts, step) => (step.salt % 4 === 0 ? write(parts, 'truncate tickets') : Promise.resolve()),
  changeSectorsBeside: async (parts, step) => {
    const sql = `update tickets set setor = '${sectorOf(step)}', is_valid_ticket = not is_valid_ticket where ${some(step, OURS)}`;
    parts.beside.push(parts.database.gates.unsafe(sql));
  },

  sessionsKilled: ({ database }) => database.terminate('observer'),
  databaseRefuses: async ({ database }) => {
    await database.shut();
    await pause(300);
    await database.allowConnections(true);
  },
  serverRestarted: async (parts) => {
    const { port } = new URL(parts.server.url);
    await parts.server.stop();
    parts.server = await startServer(parts.database, port);
  },
  linkCut: async ({ network }) => {
    network.cut();
    await pause(100);
    network.restore();
  },
  linkHeld: async ({ network }) => network.hold(),
  linkReleased: async ({ network }) => network.restore(),
  /** Found out after nine seconds of silence only. */
  linkLost: async ({ network }) => {
    if (!IS_FULL) return;
    network.swallow();
    await pause(100);
    network.restore();
  },

  join: async (parts) => addScreen(parts, parts.server.url),
  joinBehindLink: async (parts) => addScreen(parts, parts.network.url),
  joinSlow: async (parts) => addScreen(parts, parts.slowNetwork.url),
  leave: async ({ screens }, { salt }) => {
    if (screens.length > 2) screens.splice(salt % screens.length, 1)[0]?.close();
  },
} satisfies Record<string, (parts: Parts, step: Step) => Promise<unknown>>;

export const STEPS = Object.keys(TAKE) as StepKind[];

function startServer(database: TestDatabase, port?: string): Promise<TestServer> {
  return startTestServer(database, port ? { PORT: port } : {}, { limits: FAULT_LIMITS });
}

export async function openFaultModel(): Promise<FaultModel> {
  const database = await createTestDatabase();
  const server = await startServer(database);
  const parts: Parts = {
    database,
    server,
    history: new TotalHistory(),
    network: await startNetwork(server.url),
    slowNetwork: await startNetwork(server.url, { bytesPerSecond: 3_000 }),
    screens: [],
    violations: [],
    inserted: 0,
    beside: [],
  };
  await write(parts, 'select 1');
  for (const { url } of [server, parts.network, parts.slowNetwork]) addScreen(parts, url);
  const taken: Record<string, number> = {};
  return {
    taken,
    async take(step) {
      taken[step.kind] = (taken[step.kind] ?? 0) + 1;
      await TAKE[step.kind](parts, step);
      await pause(step.pauseMs);
    },
    async expectExact() {
      parts.network.restore();
      await Promise.all(parts.beside.splice(0));
      await until(async () => {
        const right = await recount(database.admin);
        for (const { board, live } of parts.screens) {
          expect(board.shown?.counts).toEqual(right);
          expect(live).toBe(true);
        }
      });
      expect(parts.violations).toEqual([]);
    },
    async close() {
      await pause(1_100);
      expect(parts.violations).toEqual([]);
      await parts.server.stop();
    },
  };
}
