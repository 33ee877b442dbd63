import postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Shift, ShiftReport } from './gate-crew.ts';
import { clockMs } from './machine-clock.ts';
import { ticketId } from './tickets.ts';

/** The process of a gate crew (gate-crew.ts): each gate is a connection that lets one holder in per transaction. */

type Enter = (ticket: number) => Promise<void>;

/** In which gates look whether somebody has come. */
const TICK_MS = 1;

const [url = '', gateCount = '1'] = process.argv.slice(2);
const gates = Array.from({ length: Number(gateCount) }, () => openGate());

// Ctrl-C in the terminal reaches us too: we end when whoever started us ends us, or is gone.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
process.on('message', (asked: Shift | 'clock') => {
  if (asked === 'clock') process.send?.(clockMs());
  else void work(asked);
});
await Promise.all(gates.map((gate) => gate.ready));
process.send?.('ready');

function openGate(): { readonly ready: Promise<unknown>; readonly enter: Enter } {
  const sql = postgres(url, { max: 1, fetch_types: false, max_lifetime: null, onnotice: () => {} });
  return {
    ready: sql`select 1`,
    async enter(ticket) {
      const { count } = await sql`
        update public.tickets set entrou = true
        where event_id = ${DEFAULT_EVENT_ID} and id = ${ticketId(ticket)} and not entrou`;
      if (count !== 1) throw new Error(`ticket ${ticketId(ticket)} is missing, or has entered before`);
    },
  };
}

async function work(shift: Shift): Promise<void> {
  const startedAtMs = performance.now();
  const report: { acknowledgedAtMs: number[]; latenciesMs: number[] } = {
    acknowledgedAtMs: [],
    latenciesMs: [],
  };
  const note = async (enter: Enter, ticket: number, cameAtMs: number): Promise<void> => {
    await enter(ticket);
    report.acknowledgedAtMs.push(clockMs());
    report.latenciesMs.push(performance.now() - cameAtMs);
  };
  await (shift.perSecond === undefined ? workFlatOut(shift, note) : workAtPace(shift, shift.perSecond, note));
  const whole: ShiftReport = { ...report, elapsedMs: performance.now() - startedAtMs };
  process.send?.(whole);
}

type Note = (enter: Enter, ticket: number, cameAtMs: number) => Promise<void>;

/** There is always somebody at every gate. */
async function workFlatOut({ firstTicket, lastTicket, durationMs }: Shift, note: Note): Promise<void> {
  const endAtMs = performance.now() + durationMs;
  let next = firstTicket;
  await Promise.all(
    gates.map(async ({ enter }) => {
      while (next <= lastTicket && performance.now() < endAtMs) {
        next += 1;
        await note(enter, next - 1, performance.now());
      }
    }),
  );
}

/** Holders come at a fixed pace, whether gates are free or not; whoever finds none waits, and the waiting counts. */
async function workAtPace(
  { firstTicket, lastTicket, durationMs }: Shift,
  perSecond: number,
  note: Note,
): Promise<void> {
  const startedAtMs = performance.now();
  const holders = Math.min(lastTicket - firstTicket + 1, Math.round((durationMs * perSecond) / 1_000));
  const idle = [...gates];
  const queue: { readonly ticket: number; readonly cameAtMs: number }[] = [];
  let come = 0;
  let entered = 0;
  await new Promise<void>((resolve) => {
    const serve = (): void => {
      while (idle.length > 0 && queue.length > 0) {
        const gate = idle.shift();
        const holder = queue.shift();
        if (!gate || !holder) return;
        void note(gate.enter, holder.ticket, holder.cameAtMs).then(() => {
          idle.push(gate);
          entered += 1;
          if (entered === holders) resolve();
          else serve();
        });
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
