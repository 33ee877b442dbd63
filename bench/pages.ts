import { setTimeout as sleep } from 'node:timers/promises';
import { type Benchmark, defineBenchmark } from './benchmark.ts';
import { type Figure, figure, ratio, type Target } from './report/figure.ts';
import { type MainThread, readMainThread } from './screen/main-thread.ts';
import { openPage, startBrowser } from './support/chromium.ts';
import { pace } from './support/pace.ts';
import { randomGaps } from './support/random-gaps.ts';
import { openStadium, type StartLive } from './support/stadium.ts';

const PER_SECOND = 200;
const LAST_NUMBER_LIMIT_MS = 5_000;

/** What the page of this build makes its main thread do, beside that of another, each served by its own server. */
export function pages({ start, commit }: { start: StartLive; commit: string }): Benchmark {
  return defineBenchmark({
    name: 'pages',
    what: `this build's page beside that of commit ${commit}: main thread at ${PER_SECOND} admissions/s in Chromium`,
    full: { rounds: 6, warmUpS: 5, windowS: 20 },
    quick: { rounds: 1, warmUpS: 1, windowS: 3 },

    async setUp(run) {
      const { rounds, warmUpS, windowS } = run.scale;
      const outside = 2 * rounds * PER_SECOND * (warmUpS + windowS);
      return { stadium: await openStadium(run, { tickets: 2 * outside }), browser: await startBrowser(run) };
    },
    groups: () => [[{ name: 'former', start }, { name: 'this' }]],
    async measure(
      { stadium, browser },
      variant: { readonly name: string; readonly start?: StartLive },
      { scale, round, ...scope },
    ) {
      const { signal } = scope;
      const server = await stadium.startServer(scope, {}, variant.start);
      const { page, devTools } = await openPage(scope, browser, server.url);
      await page.waitForSelector('#status [data-status="live"]');
      const gapMs = randomGaps(PER_SECOND, round);
      const enterFor = (seconds: number) =>
        pace({ gapMs, times: PER_SECOND * seconds, signal }, () => stadium.enter());
      // Code is compiled, caches fill.
      await enterFor(scale.warmUpS);
      await sleep(200, undefined, { signal });
      const before = await readMainThread(devTools);
      const begunMs = performance.now();
      const entered = await enterFor(scale.windowS);
      const after = await readMainThread(devTools);
      const seconds = (performance.now() - begunMs) / 1_000;
      // A page that has stopped would be a cheap one.
      const newest = `.total data[value="${entered.at(-1)?.total}"]`;
      await page.waitForSelector(newest, { timeout: LAST_NUMBER_LIMIT_MS });
      const aSecond = (part: keyof MainThread): number => (after[part] - before[part]) / seconds;
      return {
        tasksMs: aSecond('tasksMs'),
        processorMs: aSecond('processorMs'),
        scriptMs: aSecond('scriptMs'),
        styleAndLayoutMs: aSecond('styleAndLayoutMs'),
      };
    },
    describe: ({ tasksMs, processorMs, scriptMs, styleAndLayoutMs }) =>
      `of a processor ${processorMs.toFixed(1)} ms/s · tasks ${tasksMs.toFixed(1)} ms/s, of it scripts ` +
      `${scriptMs.toFixed(1)}, style and layout ${styleAndLayoutMs.toFixed(1)}`,
    figures({ of }) {
      const [former, own] = [of('former'), of('this')];
      const compared = (says: string, part: keyof MainThread, target?: Target): Figure[] => [
        figure(`main thread a second, ${says}, former`, 'ms', former[part]),
        figure(`main thread a second, ${says}, this`, 'ms', own[part]),
        ratio(`main thread a second, ${says}, this ÷ former`, own[part], former[part], target),
      ];
      return [
        ...compared('of a processor', 'processorMs', { atMost: 1.2 }),
        ...compared('all tasks by the clock', 'tasksMs'),
        ...compared('of these: scripts', 'scriptMs'),
        ...compared('of these: style and layout', 'styleAndLayoutMs'),
      ];
    },
  });
}
