import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Network } from '../../testing/server/network.ts';

export interface Fault {
  readonly name: string;
  /** How often it is chosen, compared with the others. */
  readonly weight: number;
  /** It ends a process that is measured, whose memory then says nothing of hours. */
  readonly isEnd?: boolean;
  /** Resolves when the cause is gone. Rejects when it is to end before; nothing stands still then. */
  readonly inject: (stopped: AbortSignal) => Promise<void>;
}

/** Longer than a screen waits before it says that its numbers are old. */
export const OUTAGE_MS = 20_000;
export const SHORT_OUTAGE_MS = OUTAGE_MS / 4;

interface Database {
  /** A superuser. */
  readonly admin: postgres.Sql;
  /** The data folder of the embedded one. */
  readonly dataDir: string;
}

export function databaseFaults({ admin, dataDir }: Database): readonly Fault[] {
  const send = (signal: NodeJS.Signals): Promise<void> => signalPostgres({ admin, dataDir }, signal);
  return [
    {
      name: 'walsenders terminated',
      weight: 6,
      async inject() {
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'walsender'`;
      },
    },
    { name: 'PostgreSQL restarted (SIGINT)', weight: 2, inject: () => send('SIGINT') },
    { name: 'PostgreSQL killed (SIGKILL)', weight: 2, inject: () => send('SIGKILL') },
  ];
}

/** Of the viewers' networks. */
export function viewerFaults(networks: readonly Network[]): readonly Fault[] {
  const names = {
    cut: "viewers' links closed",
    swallow: "viewers' links stalled, and forgotten",
    hold: "viewers' links stalled, then all at once",
  } as const;
  return (['cut', 'swallow', 'hold'] as const).map((how) => ({
    name: names[how],
    weight: 4,
    inject: (stopped) => disturb(networks, how, stopped),
  }));
}

/** Each kind once, in random order, those that end a process first; then at random, by weight; the former only while they may. */
export function* chooseFaults(
  faults: readonly Fault[],
  random: () => number,
  mayEnd: () => boolean,
): Generator<Fault> {
  const first = faults.map((fault) => ({ fault, key: random() - (fault.isEnd ? 1 : 0) }));
  for (const { fault } of first.toSorted((a, b) => a.key - b.key)) if (mayEnd() || !fault.isEnd) yield fault;
  const lots = faults.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  for (;;) {
    const fault = lots[Math.floor(random() * lots.length)];
    if (fault && (mayEnd() || !fault.isEnd)) yield fault;
  }
}

/** Does this to these networks for a while. */
export async function disturb(
  networks: readonly Network[],
  how: 'cut' | 'swallow' | 'hold',
  stopped: AbortSignal,
): Promise<void> {
  for (const network of networks) network[how]();
  try {
    await sleep(how === 'cut' ? SHORT_OUTAGE_MS : OUTAGE_MS, undefined, { signal: stopped });
  } finally {
    for (const network of networks) network.restore();
  }
}

/** Whoever started it (database/embedded) starts it again when it is gone. */
async function signalPostgres({ dataDir, admin }: Database, signal: NodeJS.Signals): Promise<void> {
  const pid = Number.parseInt(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
  process.kill(pid, signal);
  while (isAlive(pid)) await sleep(20);
  const answers = (): Promise<boolean> => admin`select 1`.then(() => true).catch(() => false);
  while (!(await answers())) await sleep(20);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
