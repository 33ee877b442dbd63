import { expect } from 'vitest';
import { closeOnce } from '../close-once.ts';
import { createTestDatabase } from '../database/database.ts';
import { type Nats, startNats } from './nats-server.ts';
import { launchRole, type ServerOptions, type ServerProcess } from '../server/server.ts';
import { startStopwatch, type Stopwatch } from '../stopwatch.ts';
import { startTestBoard, type TestBoard } from '../server/test-board.ts';
import { until } from '../until.ts';

/** Starts a counter in a process of its own, which must end in order when the test does. Resolves once it answers. */
export async function startCounter(
  nats: Pick<Nats, 'url'>,
  observerUrl: string,
  options: ServerOptions = {},
): Promise<ServerProcess> {
  const env = { DATABASE_URL: observerUrl, NATS_URL: nats.url, ...options.env };
  return started(await launchRole('counter', { ...options, env }));
}

/** Starts an edge. */
export async function startEdge(
  nats: Pick<Nats, 'url'>,
  options: ServerOptions = {},
): Promise<ServerProcess> {
  return started(await launchRole('edge', { ...options, env: { NATS_URL: nats.url, ...options.env } }));
}

async function started(process: ServerProcess): Promise<ServerProcess> {
  closeOnce(() => process.stop());
  await process.serves('/healthz');
  return process;
}

/** A board that an edge serves, with its counters and NATS. */
export interface FleetBoard extends TestBoard {
  readonly nats: Nats;
  readonly counters: Record<string, ServerProcess>;
  readonly edge: ServerProcess;
  /** Watches the work of all its processes and their sessions. */
  startStopwatch(): Stopwatch;
}

export interface FleetOptions extends Pick<ServerOptions, 'script'> {
  /** Servers of NATS; default: one. */
  readonly servers?: number;
  /** Node names; default: two. */
  readonly counters?: readonly string[];
  /** Whether the counters watch the flow, and keep the record; an edge needs a DESK_KEY besides. */
  readonly hasFlow?: boolean;
  readonly edgeEnv?: Readonly<Record<string, string>>;
}

/** What is written every 5 ms goes on for five minutes. */
const TICKETS = 60_000;

/** Resolves once its screen is live, and every counter answers. */
export async function startFleetBoard({
  servers = 1,
  counters: names = ['c1', 'c2'],
  hasFlow = false,
  edgeEnv = {},
  ...build
}: FleetOptions = {}): Promise<FleetBoard> {
  const [nats, database] = await Promise.all([startNats({ servers }), createTestDatabase()]);
  const flowEnv: Record<string, string> = hasFlow ? { RECORD_DATABASE_URL: database.recordUrl } : {};
  const counters: Record<string, ServerProcess> = {};
  let edge: ServerProcess | undefined;
  const board = await startTestBoard({
    database,
    tickets: TICKETS,
    async startServer(observerUrl) {
      const starting = names.map((name) =>
        startCounter(nats, observerUrl, { ...build, env: { NODE_NAME: name, ...flowEnv } }),
      );
      for (const [index, counter] of (await Promise.all(starting)).entries())
        counters[names[index] ?? ''] = counter;
      edge = await startEdge(nats, { ...build, env: { NODE_NAME: 'e1', ...edgeEnv } });
      return edge;
    },
  });
  // Before the board's own end: they hold its database.
  closeOnce(async () => {
    for (const counter of Object.values(counters)) await counter.stop();
  });
  if (!edge) throw new Error('unreachable: the board has started it');
  await untilFollowing(edge, ...names);
  const pids = (): number[] => [
    ...Object.values(counters).map(({ pid }) => pid),
    board.server.pid ?? 0,
    ...nats.servers.filter(({ runs }) => runs).map(({ pid }) => pid),
  ];
  return Object.assign(board, {
    nats,
    counters,
    edge,
    startStopwatch: () => startStopwatch({ pids, observersIn: board.database }),
  });
}

/** Returns the parsed answer of `/readyz`. */
export async function readyz({ url }: { readonly url: string }): Promise<Readiness> {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, ...((await response.json()) as Omit<Readiness, 'code'>) };
}

export interface Readiness {
  readonly code: number;
  readonly status: string;
  readonly waitingFor?: string;
  readonly follows?: {
    readonly counter?: string;
    readonly position?: string;
    readonly ageMs: number;
    readonly counters: readonly string[];
  };
}

/** Waits until an edge follows these counters, live. */
export function untilFollowing(edge: ServerProcess, ...counters: readonly string[]): Promise<void> {
  return until(async () => {
    const { code, follows } = await readyz(edge);
    expect([code, follows?.counters]).toEqual([200, counters]);
  });
}
