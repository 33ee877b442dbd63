import type { Benchmark, Figure, Setting } from './benchmark.ts';
import { withMeasuredBoard } from './support/measured-board.ts';
import { type Contender, startBoard, startBytes, startPlain, startWs } from './viewers/contender.ts';
import { type Crowd, startCrowd } from './viewers/crowd.ts';
import { type Load, measure, type Measured } from './viewers/measure.ts';

const SIZES = [1_000, 5_000, 10_000];
const QUICK_SIZES = [100, 500, 1_000];
const ROUNDS = 3;
const QUICK_ROUNDS = 1;
const DURATIONS = { warmUpS: 3, windowS: 10 };
const QUICK_DURATIONS = { warmUpS: 1, windowS: 2 };

const CONTENDERS = ['board', 'res.write', 'ws', 'bare bytes'] as const;
type Results = Readonly<Record<(typeof CONTENDERS)[number], readonly Measured[]>>;

/** The size at which the delay has a limit. */
const SIZE_OF_DELAY_LIMIT = 5_000;

export const viewers: Benchmark = {
  name: 'viewers',
  what: 'many viewers at 10 frames/s: the board beside plain res.write, ws and bare bytes, same frame, same viewers',
  run: (setting) =>
    withMeasuredBoard(setting.signal, async (board) => {
      const { quick, signal } = setting;
      const sizes = quick ? QUICK_SIZES : SIZES;
      const crowd = startCrowd(Math.max(...sizes), signal);
      try {
        // The others send the board's own text, so that their frames are of the same size.
        let event = '';
        const start = {
          board: () => startBoard(board),
          'res.write': () => startPlain(event, signal),
          ws: () => startWs(event, signal),
          'bare bytes': () => startBytes(event, signal),
        };
        const figures: Figure[] = [];
        for (const size of sizes) {
          const results: Record<keyof Results, Measured[]> = {
            board: [],
            'res.write': [],
            ws: [],
            'bare bytes': [],
          };
          for (let round = 1; round <= (quick ? QUICK_ROUNDS : ROUNDS); round += 1) {
            for (const contender of CONTENDERS) {
              const measured = await runOne(start[contender], crowd, setting, size);
              if (contender === 'board') event = await crowd.newestEvent();
              results[contender].push(measured);
              setting.progress(`${size} viewers, round ${round}, ${contender}: ${inWords(measured)}`);
            }
          }
          figures.push(...figuresOf(size, results));
        }
        return figures;
      } finally {
        await crowd.stop();
      }
    }),
};

async function runOne(
  start: () => Promise<Contender>,
  crowd: Crowd,
  { quick, signal }: Setting,
  size: number,
): Promise<Measured> {
  const contender = await start();
  try {
    const load: Load = { viewers: size, ...(quick ? QUICK_DURATIONS : DURATIONS), signal };
    return await measure(contender, crowd, load);
  } finally {
    await contender.program.stop();
  }
}

function figuresOf(size: number, results: Results): Figure[] {
  const at = `with ${size.toLocaleString('en')} viewers`;
  const { board, 'res.write': plain, ws, 'bare bytes': bytes } = results;
  const each = (what: string, unit: string, valueOf: (measured: Measured) => number): Figure[] =>
    CONTENDERS.map((name) => ({ what: `${what}, ${name}, ${at}`, unit, values: results[name].map(valueOf) }));
  const ratios = (others: readonly Measured[]): number[] =>
    board.map((ours, round) => ours.framesPerCpuSecond / (others[round]?.framesPerCpuSecond ?? NaN));
  const withTarget = (figures: readonly Figure[], target: Figure['target']): Figure[] =>
    figures.map((figure, index) => (index === 0 && target ? { ...figure, target } : figure));
  return [
    ...each('frames', 'frames/s per core', ({ framesPerCpuSecond }) => framesPerCpuSecond),
    { what: `frames, board ÷ res.write, ${at}`, unit: '×', values: ratios(plain), target: { atLeast: 1.2 } },
    { what: `frames, board ÷ ws, ${at}`, unit: '×', values: ratios(ws) },
    { what: `frames, board ÷ bare bytes, ${at}`, unit: '×', values: ratios(bytes) },
    ...each('frames that each viewer got', 'frames/s', ({ framesPerSecond }) => framesPerSecond),
    ...withTarget(
      each('memory per viewer', 'KB', ({ kilobytesPerViewer }) => kilobytesPerViewer),
      { atMost: 18 },
    ),
    ...withTarget(
      each('commit → viewer, p99', 'ms', ({ delayP99Ms }) => delayP99Ms),
      size === SIZE_OF_DELAY_LIMIT ? { atMost: 250 } : undefined,
    ),
    ...each('largest event-loop stall', 'ms', ({ longestStallMs }) => longestStallMs),
  ];
}

function inWords({ framesPerCpuSecond, kilobytesPerViewer, delayP99Ms, longestStallMs }: Measured): string {
  return [
    `${Math.round(framesPerCpuSecond)} frames/s per core`,
    `${kilobytesPerViewer.toFixed(1)} KB per viewer`,
    `p99 ${delayP99Ms.toFixed(0)} ms`,
    `stall ${longestStallMs.toFixed(0)} ms`,
  ].join(' · ');
}
