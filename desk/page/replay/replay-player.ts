import { MINUTE_MS } from '../../model/series/minute.ts';
import { createStore, type ReadableStore } from '../../../page/store.ts';
import { readRecorded } from './read-recorded.ts';
import type { RecordedSpan } from './recorded-span.ts';
import { minuteShown, type Replay, type ReplaySpeed } from './replay.ts';

export interface ReplayPlayer {
  /** Null while the present is displayed. */
  readonly replay: ReadableStore<Replay | null>;
  /** Requests the minute that begins at `minuteMs`, and displays it once it has come. */
  readonly open: (minuteMs: number) => void;
  readonly step: (minutes: number) => void;
  readonly play: (speed: ReplaySpeed) => void;
  readonly pause: () => void;
  /** Forgets that a minute is not recorded: something else has been asked for since. */
  readonly forgetMissing: () => void;
  readonly leave: () => void;
}

export interface ReplayPlayerOptions {
  /** The event's address. */
  readonly url: () => string;
  readonly fetch: typeof globalThis.fetch;
  /** The known minutes, if any. */
  readonly span: () => RecordedSpan | undefined;
  /** Called when the server refuses the session; resolves once somebody has signed in. */
  readonly sessionEnded: () => Promise<void>;
  /** The time between two requests; the server accepts 180 a minute from a session. */
  readonly paceMs?: number;
  /** The time that a minute takes at ×1, for tests. */
  readonly minuteTakesMs?: number;
  /** A request is aborted after this time. */
  readonly answerLimitMs?: number;
}

/** Plays recorded minutes with one request at a time; the newest one counts. */
export function createReplayPlayer(options: ReplayPlayerOptions): ReplayPlayer {
  const { url, fetch, span, sessionEnded } = options;
  const { paceMs = 400, minuteTakesMs = MINUTE_MS, answerLimitMs = 12_000 } = options;
  const replay = createStore<Replay | null>(null);
  let asking: AbortController | undefined;
  let askTimer: ReturnType<typeof setTimeout> | undefined;
  let playTimer: ReturnType<typeof setTimeout> | undefined;
  let askedAtMs = -Infinity;
  let nextDueMs = 0;

  const change = (part: Partial<Replay>): void => {
    const current = replay.get();
    if (current) replay.set({ ...current, ...part });
  };
  const stopTimers = (): void => {
    clearTimeout(askTimer);
    clearTimeout(playTimer);
  };
  const askSoon = (): void => {
    stopTimers();
    askTimer = setTimeout(() => void ask(), Math.max(0, askedAtMs + paceMs - performance.now()));
  };

  async function ask(): Promise<void> {
    const wantedMs = replay.get()?.wantedMs;
    if (wantedMs === undefined) return;
    asking?.abort();
    const own = new AbortController();
    asking = own;
    askedAtMs = performance.now();
    const limit = setTimeout(() => own.abort(), answerLimitMs);
    const answer = await readRecorded(url(), wantedMs, { fetch, signal: own.signal }).catch(
      () => ({ kind: 'no-answer', retryMs: 0 }) as const,
    );
    clearTimeout(limit);
    if (asking !== own) return;
    asking = undefined;
    if (!('kind' in answer)) {
      change({ shown: answer, problem: undefined });
      if (replay.get()?.wantedMs === wantedMs) playOn();
      return;
    }
    change({ problem: answer });
    switch (answer.kind) {
      case 'no-answer':
      case 'busy':
        clearTimeout(askTimer);
        askTimer = setTimeout(() => void ask(), Math.max(paceMs, answer.retryMs));
        return;
      case 'session-ended':
        await sessionEnded();
        if (!asking && replay.get()?.problem === answer) askSoon();
        return;
      default: {
        const { shown, wantedMs: newestMs } = replay.get() ?? {};
        // Another minute has been requested meanwhile.
        if (newestMs !== wantedMs) return;
        // The displayed minute stays.
        change({ speed: undefined, wantedMs: shown ? minuteShown(shown) : wantedMs });
      }
    }
  }

  const playOn = (): void => {
    clearTimeout(playTimer);
    if (replay.get()?.speed === undefined) return;
    playTimer = setTimeout(advance, Math.max(0, nextDueMs - performance.now()));
  };
  const advance = (): void => {
    const { wantedMs, speed } = replay.get() ?? {};
    if (wantedMs === undefined || speed === undefined) return;
    const nextMs = wantedMs + MINUTE_MS;
    if (nextMs > (span()?.lastMs ?? -Infinity)) {
      change({ speed: undefined });
      return;
    }
    nextDueMs = Math.max(nextDueMs, performance.now()) + minuteTakesMs / speed;
    change({ wantedMs: nextMs });
    askSoon();
  };
  const open = (minuteMs: number): void => {
    const current = replay.get();
    replay.set({
      shown: current?.shown,
      speed: current?.speed,
      wantedMs: minuteMs,
      problem: undefined,
    });
    if (current?.speed !== undefined) nextDueMs = performance.now() + minuteTakesMs / current.speed;
    askSoon();
  };

  return {
    replay,
    open,
    step(minutes) {
      const { wantedMs } = replay.get() ?? {};
      const recorded = span();
      if (wantedMs === undefined || !recorded) return;
      const { firstMs, lastMs } = recorded;
      // Just after a reconnection the span may lack the newest minutes; a step must not reverse its direction.
      const nextMs =
        minutes < 0
          ? Math.max(wantedMs + minutes * MINUTE_MS, Math.min(firstMs, wantedMs))
          : Math.min(wantedMs + minutes * MINUTE_MS, Math.max(lastMs, wantedMs));
      if (nextMs !== wantedMs) open(nextMs);
    },
    play(speed) {
      nextDueMs = performance.now() + minuteTakesMs / speed;
      change({ speed });
      const { shown, wantedMs } = replay.get() ?? {};
      if (shown && minuteShown(shown) === wantedMs) playOn();
    },
    pause() {
      clearTimeout(playTimer);
      change({ speed: undefined });
    },
    forgetMissing() {
      if (replay.get()?.problem?.kind === 'not-recorded') change({ problem: undefined });
    },
    leave() {
      stopTimers();
      asking?.abort();
      asking = undefined;
      replay.set(null);
    },
  };
}
