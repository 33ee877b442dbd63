import { setTimeout as sleep } from 'node:timers/promises';
import { type LiveViewer, openLiveViewer } from './live-viewer.ts';
import type { ServerProcess } from './server-process.ts';

const POLL_MS = 5;
const LIMIT_MS = 60_000;

/** The first viewer of a server that is starting: asks until it is let in, and has counts that are live. */
export async function firstViewerOf(
  server: ServerProcess,
  signal: AbortSignal,
): Promise<{ readonly viewer: LiveViewer; readonly liveAtMs: number }> {
  const viewer = await openAsSoonAsPossible(server, signal);
  try {
    const liveAtMs = await viewer.until(({ counts, isLive }) => counts !== undefined && isLive, {
      what: 'the first counts',
      limitMs: LIMIT_MS,
      signal,
    });
    return { viewer, liveAtMs };
  } catch (error) {
    viewer.leave();
    throw error;
  }
}

async function openAsSoonAsPossible(server: ServerProcess, signal: AbortSignal): Promise<LiveViewer> {
  const giveUpAtMs = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await openLiveViewer(server.url);
    } catch (error) {
      server.assertRunning();
      const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      if (!isRefused || performance.now() > giveUpAtMs) throw error;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
