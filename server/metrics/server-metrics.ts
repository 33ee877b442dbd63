import type { IntervalHistogram } from 'node:perf_hooks';
import type { Metric } from './exposition.ts';
import type { BoardFacts } from './watched-fan-out.ts';

/** Between two samples of the event loop's delay. */
export const SAMPLE_INTERVAL_MS = 10;

export interface MetricsSource {
  readonly viewers: () => number;
  readonly framesSent: () => number;
  readonly facts: () => BoardFacts;
}

export function boardMetrics({ viewers, framesSent, facts }: MetricsSource): Metric[] {
  const { version, isLive, ageMs, restarts } = facts();
  return [
    gauge('triagem_viewers', 'Open streams.', viewers()),
    counter('triagem_frames_sent_total', 'Frames written to viewers, heartbeats included.', framesSent()),
    gauge(
      'triagem_counts_version',
      'Commits that changed the counts since the last snapshot; NaN before the first.',
      version ?? Number.NaN,
    ),
    gauge('triagem_live', '1 while the counts are live, else 0.', isLive ? 1 : 0),
    gauge(
      'triagem_data_age_seconds',
      'Since the counts were last known to be right; 0 while live.',
      ageMs / 1_000,
    ),
    counter('triagem_observing_restarts_total', 'Observations begun anew after the first.', restarts),
  ];
}

/** `delay`: of the event loop, sampled every SAMPLE_INTERVAL_MS. */
export function processMetrics(delay: IntervalHistogram): Metric[] {
  // A sample holds the interval to the next one, too. Before the first there is nothing to tell.
  const seconds = (ns: number): number =>
    delay.count === 0 ? 0 : Math.max(0, ns / 1e9 - SAMPLE_INTERVAL_MS / 1_000);
  const { rss, heapUsed, external } = process.memoryUsage();
  return [
    gauge('triagem_event_loop_delay_seconds', 'How late the event loop was, since the last reading.', {
      label: 'quantile',
      values: {
        '0.5': seconds(delay.percentile(50)),
        '0.99': seconds(delay.percentile(99)),
        '1': seconds(delay.max),
      },
    }),
    gauge('triagem_memory_bytes', 'Memory of the process.', {
      label: 'kind',
      values: { rss, heap_used: heapUsed, external },
    }),
  ];
}

function gauge(name: string, help: string, value: Metric['value']): Metric {
  return { name, help, type: 'gauge', value };
}

function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', value };
}
