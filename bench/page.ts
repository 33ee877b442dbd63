import { join } from 'node:path';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import { eagerFiles, sizeOf } from '../tools/eager-files.ts';
import { defineBenchmark } from './benchmark.ts';
import { loadOnce } from './page/loading.ts';
import { figure } from './report/figure.ts';
import { startBrowser } from './support/chromium.ts';
import { openStadium } from './support/stadium.ts';

export const page = defineBenchmark({
  name: 'page',
  what: 'the page on a processor 4 × slower, over 10 Mbit/s with 40 ms, nothing cached, numbers arriving',
  full: { rounds: 5 },
  quick: { rounds: 2 },

  async setUp(run) {
    const stadium = await openStadium(run);
    const { url } = await stadium.startServer(run);
    const { scripts } = eagerFiles(join(PROJECT_ROOT, 'build/web'), 'index.html');
    return { stadium, url, scriptBytes: sizeOf(scripts), browser: await startBrowser(run) };
  },
  groups: () => [[{ name: 'page' }]],
  measure: ({ browser, url, stadium }, _variant, run) => loadOnce(run, browser, url, stadium),
  describe: (loading) => JSON.stringify(loading),
  figures: ({ all }, _scale, { scriptBytes }) => [
    figure('eager JavaScript, gzip', 'kB', [scriptBytes / 1_000], { atMost: 82 }),
    figure('requests in 3 s', 'requests', all.requests),
    figure('bytes received in 3 s', 'kB', all.receivedKb),
    figure('first paint', 'ms', all.firstPaintMs),
    figure('largest contentful paint', 'ms', all.largestPaintMs, { atMost: 1_200 }),
    figure('until "ao vivo"', 'ms', all.liveMs),
    figure('total blocking time, first paint to 5 s later', 'ms', all.blockingMs, { atMost: 150 }),
    figure('layout shift, until 10 s after the load, numbers arriving', '', all.layoutShift, { atMost: 0 }),
  ],
});
