import { Counter, Gauge, Registry } from '@prometheus-io/client';
import type { Activity } from './activity.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Waiting } from './readings-watch.ts';

export interface MetricsSource {
  readonly queue: CommitQueue;
  readonly activity: Activity;
  readonly clocks: ClockWatch;
  readonly waiting: () => Waiting;
}

/** What Prometheus reads of `listen`. */
export function createMetrics({ queue, activity, clocks, waiting }: MetricsSource): Registry {
  const registry = new Registry();
  const { totals, answers } = activity;
  const registers = [registry];
  const byLabel = (
    name: string,
    help: string,
    label: string,
    read: () => Iterable<[unknown, number]>,
  ): void => {
    const metric: Counter<string> = new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        metric.reset();
        for (const [value, count] of read()) metric.inc({ [label]: String(value) }, count);
      },
    });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    const metric: Counter = new Counter({
      name,
      help,
      registers,
      collect() {
        metric.reset();
        metric.inc(read());
      },
    });
  };
  const gauge = (name: string, help: string, read: () => number): void => {
    const metric: Gauge = new Gauge({ name, help, registers, collect: () => metric.set(read()) });
  };
  gauge('triagem_gates_writing', '1 while tickets can be written, else 0.', () =>
    queue.closedBecause === undefined ? 1 : 0,
  );
  byLabel('triagem_gates_answers_total', 'Answers to requests, by their status.', 'status', () => answers);
  byLabel('triagem_gates_messages_total', 'Messages, by what became of them.', 'outcome', () =>
    Object.entries(totals.counts),
  );
  byLabel(
    'triagem_gates_kept_total',
    'Messages kept until their tickets come, by the reason.',
    'reason',
    () => Object.entries(totals.kept),
  );
  byLabel('triagem_gates_refused_total', 'Messages refused, by the reason.', 'reason', () =>
    Object.entries(totals.refused),
  );
  counter(
    'triagem_gates_ahead_total',
    'Messages whose time was ahead of the clock: they count as of their arrival.',
    () => totals.ahead,
  );
  counter(
    'triagem_gates_kept_applied_total',
    'Kept readings whose tickets have come.',
    () => totals.released,
  );
  counter(
    'triagem_gates_kept_dropped_total',
    'Kept readings dropped, as there were too many.',
    () => totals.dropped,
  );
  const kept: Gauge<'reason'> = new Gauge({
    name: 'triagem_gates_kept',
    help: 'Readings in the database that wait for their tickets, by the reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      kept.reset();
      for (const [reason, count] of waiting()) kept.set({ reason }, count);
    },
  });
  gauge(
    'triagem_gates_database_clock_ahead_seconds',
    "How far the database's clock is ahead of this machine's; NaN before it was asked.",
    () => (clocks.databaseAheadMs ?? Number.NaN) / 1_000,
  );
  gauge(
    'triagem_gates_newest_reading_age_seconds',
    'Of the messages of the last minutes, the least age when it came; negative: its time was ahead; NaN: none said when.',
    () => (clocks.newestAgeMs ?? Number.NaN) / 1_000,
  );
  return registry;
}
