import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { PageClient } from '../../testing/browser/page-client.ts';
import { type ProcessUsage, usageOf } from '../../testing/server/process-usage.ts';
import type { Scope } from '../benchmark.ts';
import { type BenchDatabase, openSql } from '../support/database.ts';
import { openFirstClient, startServer } from '../support/server.ts';
import { sellAnew } from '../support/tickets.ts';

const LIMIT_MS = 120_000;
const SETTLE_MS = 1_000;
/** Keepalives and catalogue checks are less than this; the changes are far more. */
const FIRST_CHANGES_BYTES = 65_536;
const LOOK_EVERY_MS = 5;

/** All tickets enter in one transaction, beside a server that has just been started. */
export async function enterAll(run: Scope, database: BenchDatabase, tickets: number) {
  return (await openGround(run, database, tickets)).enterAll();
}

/** So many tickets, none of which has entered, and a server with these settings. */
export async function openGround(
  run: Scope,
  database: BenchDatabase,
  tickets: number,
  env: Readonly<Record<string, string>> = {},
) {
  await sellAnew(database.admin, { to: tickets, entered: 'none' });
  const gate = openSql(run, database.gatesUrl);
  const server = await startServer(run, database.observerUrl, { env });
  const { client } = await openFirstClient(run, server);
  const { usage } = server;
  const reaches = (total: number): Promise<number> => {
    const isRight = ({ counts, live }: PageClient): boolean => counts?.total === total && live;
    return client.reaches('the right total, live,', isRight, LIMIT_MS, run.signal);
  };

  return {
    async enterAll() {
      await sleep(SETTLE_MS, undefined, { signal: run.signal });
      const sender = await findSender(database);
      const memoryBeforeMb = usage.memoryMb();
      usage.resetPeak();
      const serverCpuBeforeMs = usage.cpuMs();
      const begunAtMs = performance.now();
      const allIn = reaches(tickets);
      // Told where it is waited for.
      allIn.catch(() => {});
      const firstChange = whenFirstChangeIsRead(usage);
      const { count } = await gate`update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID}`;
      const committedAtMs = performance.now();
      const senderCpuBeforeMs = sender.cpuMs();
      if (count !== tickets) throw new Error(`${count} of ${tickets} tickets were entered`);
      const rightAtMs = await allIn;
      const firstAtMs = Math.max(committedAtMs, Math.min(rightAtMs, await firstChange));
      return {
        commitMs: committedAtMs - begunAtMs,
        // From the commit's acknowledgement to the first of its changes at the server, and from there to the end.
        beforeFirstChangeMs: firstAtMs - committedAtMs,
        readingMs: rightAtMs - firstAtMs,
        behindMs: rightAtMs - committedAtMs,
        changesPerSecond: (tickets * 1_000) / (rightAtMs - committedAtMs),
        serverCpuMs: usage.cpuMs() - serverCpuBeforeMs,
        // From the commit on: while the transaction writes, it reads already, and sends nothing.
        senderCpuMs: sender.cpuMs() - senderCpuBeforeMs,
        memoryGrowthMb: usage.peakMemoryMb() - memoryBeforeMb,
      };
    },
    /** Takes all entries back, and leaves the table as it was sold. */
    async empty(): Promise<void> {
      await gate`update tickets set entrou = false where event_id = ${DEFAULT_EVENT_ID}`;
      await reaches(0);
      await database.admin`vacuum tickets`;
      await database.admin`checkpoint`;
    },
  };
}

/** PostgreSQL's process that decodes the log for the server. */
async function findSender({ admin }: BenchDatabase): Promise<ProcessUsage> {
  const [row] = await admin<[{ pid: number }?]>`
    select active_pid as pid from pg_replication_slots where active`;
  if (!row) throw new Error('nobody observes the database');
  return usageOf(row.pid);
}

/** When the server begins to read the transaction (nothing of it is sent before its commit), by `performance.now()`. */
async function whenFirstChangeIsRead(server: ProcessUsage): Promise<number> {
  const before = server.bytesRead();
  try {
    while (server.bytesRead() - before < FIRST_CHANGES_BYTES) await sleep(LOOK_EVERY_MS);
    return performance.now();
  } catch {
    // The server is gone, as after Ctrl-C in its terminal: that is found out elsewhere.
    return Infinity;
  }
}
