import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { Scope } from '../benchmark.ts';
import { WALL } from '../support/chromium.ts';
import { pace } from '../support/pace.ts';
import { randomGaps } from '../support/random-gaps.ts';
import type { Stadium } from '../support/stadium.ts';
import { openSlowLink } from './slow-link.ts';
import { openUnwatchedPage } from './unwatched-page.ts';

const PROCESSOR_SLOWER = 4;
const COUNTS_PER_SECOND = 10;
/** Beyond it, a task keeps the user waiting (web.dev/articles/tbt). */
const SHORT_TASK_MS = 50;
const BLOCKING_WINDOW_MS = 5_000;
const AFTER_LOAD_S = 10;
/** A tab that has just been opened is still being set up. */
const SETTLING_MS = 1_000;
/** Each look at the page takes time of its own: none is taken while it loads. */
const UNWATCHED_MS = 3_000;
const LIVE_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 200;

/** What the page tells of its own loading; times in milliseconds since navigation began. */
interface PageTimes {
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** Until the status says "ao vivo". */
  readonly liveMs: number;
  /** Tasks of more than 50 ms. */
  readonly longTasks: readonly { readonly startMs: number; readonly durationMs: number }[];
  /** Sum of all layout shifts that nobody's input caused. */
  readonly layoutShift: number;
}

/** Runs in the page, before anything of its own. A text: this project's Node code knows no browser's globals. */
const WATCH_PAGE = `
  window.benchTimes = { firstPaintMs: NaN, largestPaintMs: NaN, liveMs: NaN, longTasks: [], layoutShift: 0 };
  const times = window.benchTimes;
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') times.firstPaintMs = startTime;
  });
  watch('largest-contentful-paint', ({ startTime }) => (times.largestPaintMs = startTime));
  watch('longtask', ({ startTime, duration }) =>
    times.longTasks.push({ startMs: startTime, durationMs: duration }));
  watch('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) times.layoutShift += value;
  });
  const status = new MutationObserver(() => {
    if (!document.querySelector('#status [data-status="live"]')) return;
    times.liveMs = performance.now();
    status.disconnect();
  });
  status.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-status'] });
`;

/** One visit of the page, by a browser that has never seen it. */
export async function loadOnce(scope: Scope, browser: Browser, serverUrl: string, stadium: Stadium) {
  const { signal } = scope;
  const page = await openUnwatchedPage(scope, browser);
  const link = await openSlowLink(scope, serverUrl);
  const metrics = { ...WALL, deviceScaleFactor: 1, mobile: false };
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
  await page.send('Page.enable');
  await page.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH_PAGE });
  await page.send('Emulation.setCPUThrottlingRate', { rate: PROCESSOR_SLOWER });
  await sleep(SETTLING_MS, undefined, { signal });
  await page.send('Page.navigate', { url: link.url });
  await sleep(UNWATCHED_MS, undefined, { signal });
  const { requests, receivedBytes } = link.passed;
  const giveUpAtMs = performance.now() + LIVE_LIMIT_MS;
  while (!(await page.evaluate<boolean>('globalThis.benchTimes?.liveMs > 0'))) {
    if (performance.now() > giveUpAtMs) throw new Error('the page was not live after 20 s');
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  const gapMs = randomGaps(COUNTS_PER_SECOND, 1);
  await pace({ gapMs, times: COUNTS_PER_SECOND * AFTER_LOAD_S, signal }, () => stadium.enter());
  const { longTasks, ...times } = await page.evaluate<PageTimes>('benchTimes');
  const { firstPaintMs, largestPaintMs } = times;
  if (!(firstPaintMs > 0 && largestPaintMs > 0)) throw new Error('the browser told no paint of the page');
  const blockingMs = longTasks
    .filter(({ startMs, durationMs }) => startMs + durationMs > firstPaintMs)
    .filter(({ startMs }) => startMs < firstPaintMs + BLOCKING_WINDOW_MS)
    .reduce((sum, { durationMs }) => sum + durationMs - SHORT_TASK_MS, 0);
  // Bodies and heads as they came.
  return { requests, receivedKb: receivedBytes / 1_000, ...times, blockingMs };
}
