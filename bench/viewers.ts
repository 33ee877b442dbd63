import { defineBenchmark } from './benchmark.ts';
import { startClients } from './support/clients.ts';
import { RATES } from './support/rates.ts';
import { openStadium } from './support/stadium.ts';
import { CONTENDERS, startBoard, startSender } from './viewers/contender.ts';
import { figuresOf, type Size, USUAL_PER_SECOND, withViewers } from './viewers/figures.ts';
import { measureContender } from './viewers/measure.ts';

const USUAL = RATES.filter(({ perSecond }) => perSecond === USUAL_PER_SECOND);
/** With 10,000 viewers everyone is behind at 15 a second: what more would show is how far. It would take minutes. */
const FULL: readonly Size[] = [
  { viewers: 1_000, rates: RATES },
  { viewers: 5_000, rates: RATES },
  { viewers: 10_000, rates: USUAL },
];
const QUICK: readonly Size[] = [
  { viewers: 100, rates: RATES },
  { viewers: 500, rates: RATES },
  { viewers: 1_000, rates: USUAL },
];
/** Enough holders for all rounds. */
const TICKETS = 100_000;
const GATES = 8;

export const viewers = defineBenchmark({
  name: 'viewers',
  what: `many viewers, admissions at random, ${USUAL_PER_SECOND} a second where nothing else is said: the board beside plain res.write, ws and bare bytes, same frame`,
  full: { sizes: FULL, rounds: 3, warmUpS: 3, longestS: 10 },
  quick: { sizes: QUICK, rounds: 1, warmUpS: 1, longestS: 2 },

  setUp: async (run) => ({
    stadium: await openStadium(run, { tickets: TICKETS, gates: GATES }),
    clients: startClients(run, Math.max(...run.scale.sizes.map(({ viewers: most }) => most))),
    // The others send the board's own text, so that their frames are of the same size.
    event: '',
  }),
  groups: ({ sizes }) =>
    sizes.map((size) =>
      CONTENDERS.map((contender) => ({
        name: `${contender}, ${withViewers(size.viewers)}`,
        contender,
        size,
      })),
    ),
  async measure(setup, { contender, size }, { scale, round, signal, ...run }) {
    const { stadium, clients, event } = setup;
    const scope = { ...run, signal };
    const isBoard = contender === 'board';
    const server = await (isBoard ? startBoard(scope, stadium) : startSender(scope, contender, event));
    const warmUp = { perSecond: USUAL_PER_SECOND, windowS: scale.warmUpS, seed: round };
    const loads = size.rates.map(({ perSecond, share }) => {
      return { perSecond, windowS: scale.longestS * share, seed: 1_000 * round + perSecond };
    });
    const measured = await measureContender(
      server,
      clients,
      { viewers: size.viewers, warmUp, loads },
      signal,
    );
    if (isBoard) setup.event = await clients.call('newestEvent');
    return measured;
  },
  describe: ({ kilobytesPerViewer, rates }) =>
    [
      `${kilobytesPerViewer.toFixed(1)} KB per viewer`,
      ...rates.map(({ framesPerCpuSecond, delayP99Ms, longestStallMs, behindMs }, rate) => {
        const behind = behindMs > 0 ? `, behind by ${behindMs.toFixed(0)} ms` : '';
        return (
          `${RATES[rate]?.perSecond}/s ${Math.round(framesPerCpuSecond)} frames/s per core, ` +
          `p99 ${delayP99Ms.toFixed(0)} ms, stall ${longestStallMs.toFixed(0)} ms${behind}`
        );
      }),
    ].join(' · '),
  figures: (samples, { sizes }) =>
    figuresOf(sizes, (name, size) => samples.of(`${name}, ${withViewers(size)}`)),
});
