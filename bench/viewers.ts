import { defineBenchmark } from './benchmark.ts';
import { type Figure, figure, ratio, type Target } from './report/figure.ts';
import { startClients } from './support/clients.ts';
import { openStadium } from './support/stadium.ts';
import { CONTENDERS, startBoard, startSender } from './viewers/contender.ts';
import { measureContender, PER_SECOND } from './viewers/measure.ts';

/** The size at which the delay has a limit. */
const SIZE_OF_DELAY_LIMIT = 5_000;

const atSize = (size: number): string => `with ${size.toLocaleString('en')} viewers`;

export const viewers = defineBenchmark({
  name: 'viewers',
  what: `many viewers, ${PER_SECOND} admissions a second at random: the board beside plain res.write, ws and bare bytes, same frame`,
  full: { sizes: [1_000, 5_000, 10_000], rounds: 3, warmUpS: 3, windowS: 10 },
  quick: { sizes: [100, 500, 1_000], rounds: 1, warmUpS: 1, windowS: 2 },

  setUp: async (run) => ({
    stadium: await openStadium(run),
    clients: startClients(run, Math.max(...run.scale.sizes)),
    // The others send the board's own text, so that their frames are of the same size.
    event: '',
  }),
  groups: ({ sizes }) =>
    sizes.map((size) =>
      CONTENDERS.map((contender) => ({ name: `${contender}, ${atSize(size)}`, contender, size })),
    ),
  async measure(setup, { contender, size }, run) {
    const { stadium, clients, event } = setup;
    const isBoard = contender === 'board';
    const server = await (isBoard ? startBoard(run, stadium) : startSender(run, contender, event));
    const measured = await measureContender(
      server,
      clients,
      { ...run.scale, viewers: size, seed: run.round },
      run.signal,
    );
    if (isBoard) setup.event = await clients.call('newestEvent');
    return measured;
  },
  describe: ({ framesPerCpuSecond, kilobytesPerViewer, delayP99Ms, longestStallMs }) =>
    `${Math.round(framesPerCpuSecond)} frames/s per core · ${kilobytesPerViewer.toFixed(1)} KB per viewer · ` +
    `p99 ${delayP99Ms.toFixed(0)} ms · stall ${longestStallMs.toFixed(0)} ms`,
  figures: (samples, { sizes }) =>
    sizes.flatMap((size) => {
      const of = (name: string) => samples.of(`${name}, ${atSize(size)}`);
      const board = of('board');
      /** Only the board has something to reach. */
      const each = (what: string, unit: string, key: keyof typeof board, target?: Target): Figure[] =>
        CONTENDERS.map((name) => {
          const own = name === 'board' ? target : undefined;
          return figure(`${what}, ${name}, ${atSize(size)}`, unit, of(name)[key], own);
        });
      const beside = (name: string, target?: Target): Figure => {
        const what = `frames, board ÷ ${name}, ${atSize(size)}`;
        return ratio(what, board.framesPerCpuSecond, of(name).framesPerCpuSecond, target);
      };
      const others = CONTENDERS.filter((name) => name !== 'board').map((name) => of(name).delayP99Ms);
      const quickest = board.delayP99Ms.map((_, round) =>
        Math.min(...others.map((p99s) => p99s[round] ?? NaN)),
      );
      const delayLimit = size === SIZE_OF_DELAY_LIMIT ? { atMost: 250 } : undefined;
      return [
        ...each('frames', 'frames/s per core', 'framesPerCpuSecond'),
        beside('res.write', { atLeast: 1.2 }),
        beside('ws'),
        beside('bare bytes'),
        ...each('frames that each viewer got', 'frames/s', 'framesPerSecond'),
        ...each('memory per viewer', 'KB', 'kilobytesPerViewer', { atMost: 18 }),
        ...each('commit → viewer, p99', 'ms', 'delayP99Ms', delayLimit),
        ratio(
          `commit → viewer, p99, board ÷ the quickest of the others, ${atSize(size)}`,
          board.delayP99Ms,
          quickest,
          size === SIZE_OF_DELAY_LIMIT ? { atMost: 1 } : undefined,
        ),
        ...each('largest event-loop stall', 'ms', 'longestStallMs'),
      ];
    }),
});
