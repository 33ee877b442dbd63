import type { Benchmark, Figure } from './benchmark.ts';
import { launchChromium } from './support/chromium.ts';
import { withMeasuredBoard } from './support/measured-board.ts';
import { slopeOf } from './support/slope.ts';
import {
  FRAMES_PER_SECOND,
  type Period,
  type Watch,
  type Watched,
  watchScreen,
} from './screen/watch-screen.ts';

/** Ten minutes at 10 frames/s, and some for the bare page. */
const WATCH: Watch = { periods: 20, measuredS: 25, bareS: 5, tracedS: 5, quietS: 60 };
/** Twenty seconds. */
const QUICK_WATCH: Watch = { periods: 4, measuredS: 4, bareS: 4, tracedS: 1, quietS: 5 };

/** The first part of the time is not like the rest: code is compiled, caches fill. */
const WARM_UP_SHARE = 0.2;
/** Flat: what a wall's screen would gain in a match of four hours is less than 2.5 MB. */
const FLAT_KB_PER_MIN = 10;

export const screen: Benchmark = {
  name: 'screen',
  what: `a screen of 1920 × 1080 at ${FRAMES_PER_SECOND} frames/s for ten minutes, without a graphics processor`,
  run: ({ quick, progress, signal }) =>
    withMeasuredBoard(signal, async (board) => {
      const server = await board.startServer();
      try {
        const browser = await launchChromium(signal);
        try {
          const watched = await watchScreen(
            browser,
            server.url,
            board.turnstile,
            quick ? QUICK_WATCH : WATCH,
            { signal, onPeriod: (period) => progress(inWords(period)) },
          );
          return figuresOf(watched);
        } finally {
          await browser.close();
        }
      } finally {
        await server.program.stop();
      }
    }),
};

function figuresOf({ quiet, periods }: Watched): Figure[] {
  const each = (valueOf: (period: Period) => number): number[] => periods.map(valueOf);
  const sum = (values: readonly number[]): number => values.reduce((whole, value) => whole + value, 0);
  const heap = periods.map(({ atMin, heapKb }) => ({ x: atMin, y: heapKb }));
  return [
    {
      what: 'main-thread time per frame of counts, its flash included',
      unit: 'ms',
      values: each(({ perFrame }) => perFrame.tasksMs),
      target: { atMost: 2 },
    },
    { what: 'of it: scripts', unit: 'ms', values: each(({ perFrame }) => perFrame.scriptMs) },
    {
      what: 'of it: style and layout',
      unit: 'ms',
      values: each(({ perFrame }) => perFrame.styleAndLayoutMs),
    },
    {
      what: 'main-thread time per frame, a bare page that changes two texts',
      unit: 'ms',
      values: each(({ bare }) => bare.tasksMs),
    },
    {
      what: 'main-thread time per frame, board ÷ bare page',
      unit: '×',
      values: each(({ perFrame, bare }) => perFrame.tasksMs / bare.tasksMs),
    },
    { what: 'main-thread time per 100 ms of a quiet page', unit: 'ms', values: [quiet.tasksMs] },
    {
      what: 'heap slope after the first fifth, after garbage collections',
      unit: 'KB/min',
      values: [slopeOf(heap.slice(Math.floor(heap.length * WARM_UP_SHARE)))],
      target: { atMost: FLAT_KB_PER_MIN },
    },
    { what: 'heap', unit: 'KB', values: each(({ heapKb }) => heapKb) },
    {
      what: 'animation frames dropped, in the traced part of each period, in all',
      unit: 'frames',
      values: [sum(each(({ animation }) => animation.dropped))],
      target: { atMost: 0 },
    },
    {
      what: 'frames of counts that were not drawn, in these parts, in all',
      unit: 'frames',
      values: [sum(each(({ framesOfCounts, animation }) => Math.max(0, framesOfCounts - animation.drawn)))],
      target: { atMost: 0 },
    },
    {
      what: 'frames of counts in these parts, in all',
      unit: 'frames',
      values: [sum(each(({ framesOfCounts }) => framesOfCounts))],
    },
  ];
}

function inWords({ perFrame, bare, animation, framesOfCounts, atMin, heapKb }: Period): string {
  return [
    `${atMin.toFixed(1)} min`,
    `${perFrame.tasksMs.toFixed(2)} ms per frame, bare page ${bare.tasksMs.toFixed(2)}`,
    `${heapKb.toFixed(0)} KB`,
    `${animation.drawn} frames drawn, ${animation.dropped} dropped, for ${framesOfCounts} of counts`,
  ].join(' · ');
}
