import { median } from '../../testing/statistics.ts';
import type { Scope } from '../benchmark.ts';
import { openGround } from '../bulk/enter-all.ts';
import type { BenchDatabase } from '../support/database.ts';

interface LargeTransactions {
  readonly tickets: number;
  /** Before those that are measured: a server some seconds old still compiles what it does. */
  readonly warmUps: number;
  readonly measured: number;
}

/** All tickets enter by one transaction, again and again; the medians. */
export async function enterOverAndOver(
  run: Scope,
  database: BenchDatabase,
  { tickets, warmUps, measured }: LargeTransactions,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly changesPerSecond: number; readonly serverCpuMs: number }> {
  const ground = await openGround(run, database, tickets, env);
  const samples: Awaited<ReturnType<typeof ground.enterAll>>[] = [];
  for (let done = 0; done < warmUps + measured; done += 1) {
    if (done > 0) await ground.empty();
    samples.push(await ground.enterAll());
  }
  const counted = samples.slice(warmUps);
  return {
    changesPerSecond: median(counted.map(({ changesPerSecond }) => changesPerSecond)),
    serverCpuMs: median(counted.map(({ serverCpuMs }) => serverCpuMs)),
  };
}
