import { setImmediate as letOthersRun } from 'node:timers/promises';
import { DEFAULT_VENUE } from '../domain/venue.ts';
import { percentile } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { watchEvent } from './events/watched-event.ts';
import { inventMatch } from './forecast/invented-match.ts';
import { figure } from './report/figure.ts';

const EVENTS = 1_000;
const EVERY_S = 10;
const MOST_OF_A_CORE = 20;
const MOST_MS = 5;
const EARLIER_MATCHES = 12;
const MINUTES_BEFORE = 120;

interface Variant {
  readonly name: string;
  readonly sectors: readonly { readonly code: string; readonly capacity?: number }[];
}

/** With those in no sector one more each. */
const VARIANTS: readonly Variant[] = [
  { name: '13 sectors', sectors: DEFAULT_VENUE.sectors },
  {
    name: '61 sectors',
    sectors: Array.from({ length: 60 }, (_, n) => ({ code: `${n + 1}`, capacity: 728 })),
  },
];

/** What it costs to look after many matches at once, each at another minute before its kick-off. */
export const events = defineBenchmark({
  name: 'events',
  what: 'alarms and forecasts of 1,000 events, every ten seconds, of one processor',
  full: { rounds: 3, events: 100, boundaries: 36 },
  quick: { rounds: 1, events: 10, boundaries: 12 },

  setUp: () => Promise.resolve(undefined),
  groups: () => [VARIANTS],
  async measure(_setup, { sectors }: Variant, { scale, round, signal }) {
    const season = { seed: 300 + round, shape: 'default', sectors } as const;
    const matches = Array.from({ length: EARLIER_MATCHES }, (_, n) => inventMatch(season, n).earlier);
    const today = inventMatch(season, EARLIER_MATCHES);
    const watched = [];
    for (let n = 0; n < scale.events; n += 1) {
      await letOthersRun(undefined, { signal });
      const minute = -MINUTES_BEFORE + (n / scale.events) * (MINUTES_BEFORE - scale.boundaries / 6);
      watched.push(watchEvent(today, matches, Math.floor(minute)));
    }
    const tookMs: number[] = [];
    for (let boundary = 0; boundary < scale.boundaries; boundary += 1) {
      await letOthersRun(undefined, { signal });
      for (const event of watched) event.playOn();
      // All after each other, as a process would: what one has just used is not in the processor's cache.
      for (const event of watched) {
        const begun = process.cpuUsage();
        event.evaluate();
        const { user, system } = process.cpuUsage(begun);
        tookMs.push((user + system) / 1_000);
      }
    }
    const sumMs = tookMs.reduce((sum, ms) => sum + ms, 0);
    return { meanMs: sumMs / tookMs.length, p99Ms: percentile(tookMs, 0.99) };
  },
  describe: ({ meanMs, p99Ms }) => `${meanMs.toFixed(3)} ms an event, p99 ${p99Ms.toFixed(3)} ms`,
  figures: (samples) =>
    VARIANTS.flatMap(({ name }) => {
      const { meanMs, p99Ms } = samples.of(name);
      const shares = meanMs.map((ms) => ((ms * EVENTS) / (EVERY_S * 1_000)) * 100);
      return [
        figure(`${name}: alarms and forecast of an event, mean of the processor`, 'ms', meanMs),
        figure(`${name}: both, p99 of the processor`, 'ms', p99Ms, { atMost: MOST_MS }),
        figure(`${name}: 1,000 events every 10 s, of a processor`, '%', shares, { atMost: MOST_OF_A_CORE }),
      ];
    }),
});
