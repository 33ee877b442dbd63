import type { Benchmark, Figure } from './benchmark.ts';
import { eagerScriptBytes } from './page/eager-script.ts';
import { type Loading, loadOnce } from './page/loading.ts';
import { launchChromium } from './support/chromium.ts';
import { withMeasuredBoard } from './support/measured-board.ts';

const ROUNDS = 5;
const QUICK_ROUNDS = 2;

export const page: Benchmark = {
  name: 'page',
  what: 'the page on a processor 4 × slower, over 10 Mbit/s with 40 ms, nothing cached, numbers arriving',
  run: ({ quick, progress, signal }) =>
    withMeasuredBoard(signal, async (board) => {
      const server = await board.startServer();
      try {
        const scriptBytes = await eagerScriptBytes(server.url);
        const browser = await launchChromium(signal);
        try {
          const loadings: Loading[] = [];
          for (let round = 1; round <= (quick ? QUICK_ROUNDS : ROUNDS); round += 1) {
            const loading = await loadOnce(browser, server.url, board.turnstile, signal);
            loadings.push(loading);
            progress(`round ${round}: ${JSON.stringify(loading)}`);
          }
          return figuresOf(scriptBytes, loadings);
        } finally {
          await browser.close();
        }
      } finally {
        await server.program.stop();
      }
    }),
};

function figuresOf(scriptBytes: number, loadings: readonly Loading[]): Figure[] {
  const each = (valueOf: (loading: Loading) => number): number[] => loadings.map(valueOf);
  return [
    { what: 'eager JavaScript, gzip', unit: 'kB', values: [scriptBytes / 1_000], target: { atMost: 82 } },
    { what: 'requests in 3 s', unit: 'requests', values: each(({ requests }) => requests) },
    {
      what: 'bytes received in 3 s',
      unit: 'kB',
      values: each(({ receivedBytes }) => receivedBytes / 1_000),
    },
    { what: 'first paint', unit: 'ms', values: each(({ firstPaintMs }) => firstPaintMs) },
    {
      what: 'largest contentful paint',
      unit: 'ms',
      values: each(({ largestPaintMs }) => largestPaintMs),
      target: { atMost: 1_200 },
    },
    { what: 'until "ao vivo"', unit: 'ms', values: each(({ liveMs }) => liveMs) },
    {
      what: 'total blocking time, first paint to 5 s later',
      unit: 'ms',
      values: each(({ blockingMs }) => blockingMs),
      target: { atMost: 150 },
    },
    {
      what: 'layout shift, until 10 s after the load, numbers arriving',
      unit: '',
      values: each(({ layoutShift }) => layoutShift),
      target: { atMost: 0 },
    },
  ];
}
