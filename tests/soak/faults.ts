import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Screens } from './screens.ts';
import type { ServerRuns } from './server-runs.ts';

/** What can be done to the parts that run. */
interface Parts {
  readonly server: ServerRuns;
  readonly screens: Screens;
  /** A superuser. */
  readonly admin: postgres.Sql;
  /** The data folder of the embedded database. */
  readonly dataDir: string;
}

export interface Fault {
  readonly name: string;
  /** How often it is chosen, compared with the others. */
  readonly weight: number;
  /** It ends the server, whose memory then says nothing of hours. */
  readonly isEnd?: boolean;
  /** Resolves when the cause is gone. */
  readonly inject: (parts: Parts) => Promise<void>;
}

/** Longer than a screen waits before it says that its numbers are old. */
const OUTAGE_MS = 20_000;

export const FAULTS: readonly Fault[] = [
  {
    name: 'server killed (SIGKILL), started again',
    weight: 3,
    isEnd: true,
    inject: ({ server }) => server.restart(),
  },
  {
    name: 'walsender terminated',
    weight: 6,
    async inject({ admin }) {
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'walsender'`;
    },
  },
  { name: 'PostgreSQL restarted (SIGINT)', weight: 2, inject: (parts) => signalPostgres(parts, 'SIGINT') },
  { name: 'PostgreSQL killed (SIGKILL)', weight: 2, inject: (parts) => signalPostgres(parts, 'SIGKILL') },
  { name: "viewers' links closed", weight: 4, inject: (parts) => disturb(parts, 'cut', OUTAGE_MS / 4) },
  { name: "viewers' links stalled, and forgotten", weight: 4, inject: (parts) => disturb(parts, 'swallow') },
  { name: "viewers' links stalled, then all at once", weight: 4, inject: (parts) => disturb(parts, 'hold') },
];

/** Each kind once, in random order; then at random, by weight; those that end the server only while it may be ended. */
export function* chooseFaults(random: () => number, mayEnd: () => boolean): Generator<Fault> {
  const first = FAULTS.map((fault) => ({ fault, key: random() })).toSorted((a, b) => a.key - b.key);
  yield* first.map(({ fault }) => fault);
  const lots = FAULTS.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  for (;;) {
    const fault = lots[Math.floor(random() * lots.length)];
    if (fault && (mayEnd() || !fault.isEnd)) yield fault;
  }
}

/** Does this to the viewers' networks for so long. */
async function disturb(
  { screens: { networks } }: Parts,
  how: 'cut' | 'swallow' | 'hold',
  forMs = OUTAGE_MS,
): Promise<void> {
  for (const network of networks) network[how]();
  await pause(forMs);
  for (const network of networks) network.restore();
}

/** Whoever started it (server/database/embedded) starts it again when it is gone. */
async function signalPostgres({ dataDir, admin }: Parts, signal: NodeJS.Signals): Promise<void> {
  const pid = Number.parseInt(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
  process.kill(pid, signal);
  while (isAlive(pid)) await pause(20);
  const answers = (): Promise<boolean> => admin`select 1`.then(() => true).catch(() => false);
  while (!(await answers())) await pause(20);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
