import { enterAll } from './bulk/enter-all.ts';
import { defineBenchmark } from './benchmark.ts';
import { figure } from './report/figure.ts';
import { startDatabase } from './support/database.ts';

const LEAST_CHANGES_PER_S = 100_000;
const MOST_GROWTH_MB = 100;

/** One transaction that changes every ticket: how far behind the counts fall, and at what cost. */
export const bulk = defineBenchmark({
  name: 'bulk',
  what: 'all tickets entered in one transaction → counts right and live at a viewer',
  full: { tickets: 1_000_000, rounds: 5 },
  quick: { tickets: 100_000, rounds: 2 },

  setUp: (run) => startDatabase(run),
  groups: () => [[{ name: 'one transaction' }]],
  measure: (database, _variant, run) => enterAll(run, database, run.scale.tickets),
  describe: ({ commitMs, beforeFirstChangeMs, readingMs }) =>
    `transaction ${commitMs.toFixed(0)} ms, first change after ${beforeFirstChangeMs.toFixed(0)} ms, ` +
    `all after ${readingMs.toFixed(0)} ms more`,
  figures: ({ all }) => [
    figure('changes per second, from commit to right and live', 'changes/s', all.changesPerSecond, {
      atLeast: LEAST_CHANGES_PER_S,
    }),
    figure('server memory, growth of the peak', 'MB', all.memoryGrowthMb, { atMost: MOST_GROWTH_MB }),
    figure('commit → right and live', 'ms', all.behindMs),
    figure('· of this, before the first change is sent', 'ms', all.beforeFirstChangeMs),
    figure('· of this, from there to the end', 'ms', all.readingMs),
    figure('the transaction itself', 'ms', all.commitMs),
    figure('processor time of the server', 'ms', all.serverCpuMs),
    figure("processor time of PostgreSQL's walsender, from the commit on", 'ms', all.senderCpuMs),
  ],
});
