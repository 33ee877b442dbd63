import { Counter, Gauge, Registry } from '@prometheus-io/client';
import type { Activity } from './activity.ts';
import type { ClockWatch } from './clock-watch.ts';
import { KEPT_WORDS, type KeptReason, REFUSED_REASONS } from './request-outcome.ts';

export function createMetrics({ totals, answers, waiting }: Activity, clocks: ClockWatch): Registry {
  const registry = new Registry();
  const registers = [registry];
  const messages: Counter<'outcome' | 'reason'> = new Counter({
    name: 'triagem_gates_messages_total',
    help: 'Messages, by what became of them, and why.',
    labelNames: ['outcome', 'reason'],
    registers,
    collect() {
      messages.reset();
      for (const outcome of ['applied', 'created', 'unchanged', 'older'] as const) {
        messages.inc({ outcome, reason: '' }, totals.counts[outcome]);
      }
      for (const reason of Object.keys(KEPT_WORDS) as KeptReason[]) {
        messages.inc({ outcome: 'kept', reason }, totals.kept[reason] ?? 0);
      }
      for (const reason of REFUSED_REASONS) {
        messages.inc({ outcome: 'refused', reason }, totals.refused[reason] ?? 0);
      }
    },
  });
  const answered: Counter<'status'> = new Counter({
    name: 'triagem_gates_answers_total',
    help: 'Requests that bring messages, by the status of the answer.',
    labelNames: ['status'],
    registers,
    collect() {
      answered.reset();
      for (const [status, count] of answers) answered.inc({ status }, count);
    },
  });
  const ahead: Counter = new Counter({
    name: 'triagem_gates_ahead_total',
    help: 'Messages whose time was ahead of the clock: they count as of their arrival.',
    registers,
    collect() {
      ahead.reset();
      ahead.inc(totals.ahead);
    },
  });
  const kept: Gauge<'reason'> = new Gauge({
    name: 'triagem_gates_kept',
    help: 'Readings in the database that wait for their tickets, by the reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      kept.reset();
      for (const [reason, count] of waiting) kept.set({ reason }, count);
    },
  });
  const database: Gauge = new Gauge({
    name: 'triagem_gates_database_clock_ahead_seconds',
    help: "How far the database's clock is ahead of this machine's; NaN before it was asked.",
    registers,
    collect: () => database.set((clocks.databaseAheadMs ?? Number.NaN) / 1_000),
  });
  const gates: Gauge = new Gauge({
    name: 'triagem_gates_clocks_differing',
    help: 'Gates whose times differ from the clock by more than two seconds, as /readyz names them.',
    registers,
    collect: () => gates.set(clocks.differingGates),
  });
  return registry;
}
