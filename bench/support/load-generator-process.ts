import postgres from 'postgres';
import { clockMs } from './clock.ts';
import type { LoadReport, LoadRun } from './load-generator.ts';
import { serveRpc } from './serve-rpc.ts';
import { admit } from './tickets.ts';

/** The process of a load generator: each gate is a connection that lets one holder in per transaction. */

type Admit = (gate: postgres.Sql, ticket: number, cameAtMs: number) => Promise<void>;

/** In which gates look whether somebody has come. */
const TICK_MS = 1;

const [url = '', gateCount = '1'] = process.argv.slice(2);
const gates = Array.from({ length: Number(gateCount) }, () =>
  postgres(url, { max: 1, fetch_types: false, max_lifetime: null, onnotice: () => {} }),
);

serveRpc({
  connect: () => Promise.all(gates.map((gate) => gate`select 1`)).then(() => {}),
  clockMs,
  async run(load: LoadRun): Promise<LoadReport> {
    const startedAtMs = performance.now();
    const acknowledgedAtMs: number[] = [];
    const latenciesMs: number[] = [];
    const admitOne: Admit = async (gate, ticket, cameAtMs) => {
      await admit(gate, ticket);
      acknowledgedAtMs.push(clockMs());
      latenciesMs.push(performance.now() - cameAtMs);
    };
    await (load.perSecond === undefined
      ? runClosed(load, admitOne)
      : runOpen(load, load.perSecond, admitOne));
    return { acknowledgedAtMs, latenciesMs, elapsedMs: performance.now() - startedAtMs };
  },
});

/** A closed model: there is always somebody at every gate. */
async function runClosed({ firstTicket, lastTicket, durationMs }: LoadRun, admitOne: Admit): Promise<void> {
  const endAtMs = performance.now() + durationMs;
  let next = firstTicket;
  await Promise.all(
    gates.map(async (gate) => {
      while (next <= lastTicket && performance.now() < endAtMs) {
        next += 1;
        await admitOne(gate, next - 1, performance.now());
      }
    }),
  );
}

/** An open model: holders come at a fixed rate; whoever finds no gate free waits, and the waiting counts. */
function runOpen(load: LoadRun, perSecond: number, admitOne: Admit): Promise<void> {
  const { firstTicket, lastTicket, durationMs } = load;
  const startedAtMs = performance.now();
  const holders = Math.min(lastTicket - firstTicket + 1, Math.round((durationMs * perSecond) / 1_000));
  const idle = [...gates];
  const queue: { readonly ticket: number; readonly cameAtMs: number }[] = [];
  let come = 0;
  let entered = 0;
  return new Promise((resolve, reject) => {
    const serve = (): void => {
      while (idle.length > 0 && queue.length > 0) {
        const gate = idle.shift();
        const holder = queue.shift();
        if (!gate || !holder) return;
        admitOne(gate, holder.ticket, holder.cameAtMs).then(() => {
          idle.push(gate);
          entered += 1;
          if (entered === holders) resolve();
          else serve();
        }, reject);
      }
    };
    const timer = setInterval(() => {
      const nowMs = performance.now();
      while (come < holders && startedAtMs + (come * 1_000) / perSecond <= nowMs) {
        queue.push({ ticket: firstTicket + come, cameAtMs: nowMs });
        come += 1;
      }
      if (come === holders) clearInterval(timer);
      serve();
    }, TICK_MS);
  });
}
