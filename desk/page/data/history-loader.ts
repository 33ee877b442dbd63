import { fromHistory } from '../../model/series/history.ts';
import { hasFields, isFlag, isListOf } from '../../model/json-shape.ts';
import { isLogRow } from '../../model/log/log-row-shape.ts';
import type { DeskState } from '../../model/desk-state.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import type { Minute } from '../../model/series/minute.ts';
import { readRetryAfterMs } from '../../../page/connection/retry-policy.ts';
import type { Store } from '../../../page/store.ts';
import type { Instant } from '../../../page/trust/page-clock.ts';
import {
  forgetNewest,
  keepFitting,
  type KeptHistory,
  missingMinutes,
  withLog,
  withMinute,
  withSpan,
} from './kept-history.ts';

const RETRY_MS = 3_000;

const READ_LIMIT_MS = 20_000;

export interface HistoryLoader {
  /** Called for each new stream. */
  readonly opened: () => void;
  /**
   * Called with each state, and when it came: reads the missing history. It reads nothing for the state of an earlier stream,
   * as a server that has just started has not read those minutes from its record yet.
   */
  readonly follow: (state: DeskState, receivedAt: Instant) => void;
  readonly minuteReceived: (minute: Minute) => void;
}

/**
 * Completes `history` by reads below `url`; the state of each second drives it. Minutes and log are read beside each other: the
 * log tells what happens now, and minutes may be many.
 */
export function loadHistory(options: {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly history: Store<KeptHistory>;
}): HistoryLoader {
  const { url, fetch, history } = options;
  /** Counts the streams: an answer to a request of an earlier one may be another server's. */
  let streams = 0;
  /** Minutes that came during the current read, whose answer may not have them yet; undefined while none is read. */
  let receivedMeanwhile: Minute[] | undefined;
  let notBeforeMs = 0;
  let followedAt: Instant | undefined;
  /** The last state of the earlier streams. */
  let beforeAt: Instant | undefined;
  /** Whether the log was compared with that of the current server. */
  let isLogChecked = false;

  async function get(path: string): Promise<unknown> {
    const response = await fetch(`${url}${path}`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(READ_LIMIT_MS),
    });
    if (response.ok) return response.json();
    notBeforeMs = performance.now() + (readRetryAfterMs(response) ?? RETRY_MS);
    throw new Error(`${path}: ${response.status}`);
  }

  async function readMinutes(state: DeskState): Promise<void> {
    const stream = streams;
    const span = missingMinutes(history.get(), state);
    if (!span) return;
    const received: Minute[] = [];
    receivedMeanwhile = received;
    try {
      const minutes = fromHistory(await get(`/history?from=${span.fromMs}&to=${span.toMs}`));
      if (stream === streams)
        history.set(received.reduce(withMinute, withSpan(history.get(), span, minutes)));
    } finally {
      receivedMeanwhile = undefined;
    }
  }

  async function readLog(state: DeskState): Promise<void> {
    const stream = streams;
    for (;;) {
      const lastSeq = history.get().log.length;
      if (isLogChecked && lastSeq >= state.lastSeq) return;
      // The last known row shows whether the rows that follow belong to the same log.
      const { rows, hasMore } = readLogPage(await get(`/log?after=${Math.max(0, lastSeq - 1)}`));
      if (stream !== streams) return;
      const before = history.get();
      const fits = lastSeq === 0 || rows[0]?.id === before.log[lastSeq - 1]?.id;
      history.set(fits ? withLog(before, rows) : { ...before, log: [] });
      if (fits && !hasMore) {
        isLogChecked = true;
        return;
      }
    }
  }

  /** Calls `read` unless it still runs, or has failed just now. */
  const oneAtATime = (read: (state: DeskState) => Promise<void>): ((state: DeskState) => void) => {
    let isReading = false;
    return (state) => {
      if (isReading || performance.now() < notBeforeMs) return;
      isReading = true;
      read(state)
        .catch(() => {
          notBeforeMs = Math.max(notBeforeMs, performance.now() + RETRY_MS);
        })
        .finally(() => {
          isReading = false;
        });
    };
  };
  const [followMinutes, followLog] = [oneAtATime(readMinutes), oneAtATime(readLog)];

  return {
    opened() {
      streams += 1;
      beforeAt = followedAt;
      isLogChecked = false;
      notBeforeMs = 0;
      history.set(forgetNewest(history.get()));
    },
    follow(state, receivedAt) {
      followedAt = receivedAt;
      if (receivedAt === beforeAt) return;
      history.set(keepFitting(history.get(), state));
      followLog(state);
      followMinutes(state);
    },
    minuteReceived(minute) {
      receivedMeanwhile?.push(minute);
      history.set(withMinute(history.get(), minute));
    },
  };
}

const isLogPage = hasFields({
  rows: isListOf(isLogRow),
  hasMore: isFlag,
});

function readLogPage(value: unknown): { readonly rows: readonly LogRow[]; readonly hasMore: boolean } {
  if (!isLogPage(value)) throw new Error('malformed log');
  return value as { rows: readonly LogRow[]; hasMore: boolean };
}
