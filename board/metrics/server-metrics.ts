import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Registry } from '@prometheus-io/client';
import type { CountsSlice, Freshness } from '../../domain/event-state.ts';
import { sourceState } from '../../domain/live-message.ts';

/** Between two samples of the event loop's delay. */
const SAMPLE_INTERVAL_MS = 10;

/** The sources of a process's metrics. Members that its role lacks are absent. */
export interface MetricsSource {
  readonly freshness: () => Freshness;
  /** Where there are screens. */
  readonly viewers?: { readonly size: number; readonly framesSent: number };
  /** Where an edge serves many. */
  readonly events?: {
    readonly served: () => number;
    readonly followed: () => number;
    readonly stale: () => number;
  };
  /** The counts of the displayed event. */
  readonly counts?: () => CountsSlice | undefined;
  /** How many snapshots have been counted so far. */
  readonly snapshots?: () => number;
  /** Document reads of Firestore, by the source's own meter; `undefined`: the tickets are elsewhere. */
  readonly documentsRead?: (() => number) | undefined;
  /** Where the process brings a database; NaN while it is not known. */
  readonly freeDiskBytes?: (() => number) | undefined;
  /** Each adds the metrics of another room. */
  readonly others?: readonly ((adders: MetricAdders) => void)[] | undefined;
}

/** How one metric is added. */
export interface MetricAdders {
  readonly gauge: (name: string, help: string, read: () => number) => void;
  readonly counter: (name: string, help: string, read: () => number) => void;
}

/** A registry of its own: several servers of one process (a test's) keep their numbers apart. */
export function createMetrics(source: MetricsSource): { readonly registry: Registry; stop(): void } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addStateMetrics(registry, source);
  for (const add of source.others ?? []) add(adders(registry));
  return { registry, stop: addProcessMetrics(registry) };
}

function adders(registry: Registry): MetricAdders {
  const gauge = (name: string, help: string, read: () => number): void => {
    const metric: Gauge = new Gauge({ name, help, registers: [registry], collect: () => metric.set(read()) });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    const metric: Counter = new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        metric.reset();
        metric.inc(read());
      },
    });
  };
  return { gauge, counter };
}

function addStateMetrics(registry: Registry, source: MetricsSource): void {
  const { gauge, counter } = adders(registry);
  const { viewers, events, counts, snapshots, documentsRead, freeDiskBytes } = source;
  if (viewers) {
    gauge('triagem_viewers', 'Open streams.', () => viewers.size);
    counter(
      'triagem_frames_sent_total',
      'Frames written to viewers, heartbeats included.',
      () => viewers.framesSent,
    );
  }
  if (events) {
    gauge('triagem_events_served', 'Events in EVENTS_FILE.', events.served);
    gauge('triagem_events_followed', 'Those of them that have been asked for.', events.followed);
    gauge('triagem_events_stale', 'Those of them whose counts are not live.', events.stale);
  }
  if (counts) {
    gauge(
      'triagem_counts_version',
      'Commits that changed the counts since the last snapshot, or states that an edge took; NaN before the first.',
      () => counts()?.version ?? Number.NaN,
    );
  }
  gauge('triagem_live', '1 while the counts are live, else 0.', () => (source.freshness().live ? 1 : 0));
  gauge('triagem_data_age_seconds', 'Since the counts were last known to be right; 0 while live.', () => {
    const now = sourceState(source.freshness(), performance.now());
    return now.live ? 0 : now.ageMs / 1_000;
  });
  if (snapshots) {
    counter(
      'triagem_observing_restarts_total',
      'Snapshots taken after the first: replication sessions that began anew.',
      () => Math.max(0, snapshots() - 1),
    );
  }
  if (documentsRead) {
    counter(
      'triagem_firestore_documents_read_total',
      'Documents that this process has read from Firestore by its own meter; what is billed may differ.',
      documentsRead,
    );
  }
  if (freeDiskBytes) {
    gauge(
      'triagem_disk_free_bytes',
      'Free on the disk of the embedded database; NaN where that is not known.',
      freeDiskBytes,
    );
  }
}

/** Measures from now on; returns how it ends. */
function addProcessMetrics(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_INTERVAL_MS });
  delay.enable();
  // A sample includes the interval to the next one. Before the first there is no value.
  const seconds = (ns: number): number =>
    delay.count === 0 ? 0 : Math.max(0, ns / 1e9 - SAMPLE_INTERVAL_MS / 1_000);
  const delays: Gauge<'quantile'> = new Gauge({
    name: 'triagem_event_loop_delay_seconds',
    help: 'How late the event loop was, since the last reading.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      delays.set({ quantile: '0.5' }, seconds(delay.percentile(50)));
      delays.set({ quantile: '0.99' }, seconds(delay.percentile(99)));
      delays.set({ quantile: '1' }, seconds(delay.max));
      delay.reset();
    },
  });
  const memory: Gauge<'kind'> = new Gauge({
    name: 'triagem_memory_bytes',
    help: 'Memory of the process.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const { rss, heapUsed, external } = process.memoryUsage();
      memory.set({ kind: 'rss' }, rss);
      memory.set({ kind: 'heap_used' }, heapUsed);
      memory.set({ kind: 'external' }, external);
    },
  });
  return () => void delay.disable();
}
