import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';
import { openPage } from '../support/open-page.ts';
import { pace } from '../support/pace.ts';
import type { Turnstile } from '../support/turnstile.ts';
import { type PageTimes, WATCH_PAGE } from './page-watch.ts';

/** One visit of the page, by a browser that has never seen it. */
export interface Loading {
  readonly requests: number;
  /** Bodies and headers as they came. */
  readonly receivedBytes: number;
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** Until the status says "ao vivo". */
  readonly liveMs: number;
  readonly blockingMs: number;
  readonly layoutShift: number;
}

const VIEWPORT = { width: 1_920, height: 1_080 };
const PROCESSOR_SLOWER = 4;
/** 10 Mbit/s, both ways. */
const BYTES_PER_SECOND = 10_000_000 / 8;
const LATENCY_MS = 40;
const COUNTS_PER_SECOND = 10;
/** Beyond it, a task keeps the user waiting (web.dev/articles/tbt). */
const SHORT_TASK_MS = 50;
const BLOCKING_WINDOW_MS = 5_000;
const AFTER_LOAD_S = 10;
const LIVE_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 200;

export async function loadOnce(
  browser: Browser,
  url: string,
  turnstile: Turnstile,
  signal: AbortSignal,
): Promise<Loading> {
  const { page, devTools, close } = await openPage(browser, VIEWPORT);
  try {
    let requests = 0;
    let receivedBytes = 0;
    devTools.on('Network.requestWillBeSent', () => (requests += 1));
    devTools.on('Network.dataReceived', ({ encodedDataLength }) => (receivedBytes += encodedDataLength));
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: BYTES_PER_SECOND,
      uploadThroughput: BYTES_PER_SECOND,
    });
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: PROCESSOR_SLOWER });
    await page.addInitScript(WATCH_PAGE);
    await page.goto(url);
    await untilLive(devTools, signal);
    const transferred = { requests, receivedBytes };
    await pace({ perSecond: COUNTS_PER_SECOND, seconds: AFTER_LOAD_S, signal }, async () => {
      await turnstile.enter();
    });
    const times = await page.evaluate<PageTimes>('window.benchTimes');
    const { firstPaintMs, largestPaintMs, liveMs, layoutShift } = times;
    if (!(firstPaintMs > 0 && largestPaintMs > 0)) throw new Error('the browser told no paint of the page');
    return {
      ...transferred,
      firstPaintMs,
      largestPaintMs,
      liveMs,
      layoutShift,
      blockingMs: blockingOf(times),
    };
  } finally {
    await close();
  }
}

/** Not with the library's own means: its script, which the page would have to read first, is longer than React. */
async function untilLive(devTools: CDPSession, signal: AbortSignal): Promise<void> {
  const giveUpAtMs = performance.now() + LIVE_LIMIT_MS;
  for (;;) {
    const { result } = await devTools.send('Runtime.evaluate', { expression: 'benchTimes.liveMs' });
    if (typeof result.value === 'number' && result.value > 0) return;
    if (performance.now() > giveUpAtMs) throw new Error('the page was not live after 20 s');
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

function blockingOf({ longTasks, firstPaintMs }: PageTimes): number {
  return longTasks
    .filter(({ startMs, durationMs }) => {
      const endMs = startMs + durationMs;
      return endMs > firstPaintMs && startMs < firstPaintMs + BLOCKING_WINDOW_MS;
    })
    .reduce((sum, { durationMs }) => sum + durationMs - SHORT_TASK_MS, 0);
}
