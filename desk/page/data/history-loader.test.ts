import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DeskState } from '../../model/desk-state.ts';
import { toHistory } from '../../model/series/history.ts';
import { type Minute, MINUTE_MS } from '../../model/series/minute.ts';
import { until } from '../../../testing/until.ts';
import { createStore } from '../../../page/store.ts';
import { pageClock } from '../../../page/trust/page-clock.ts';
import { type HistoryLoader, loadHistory } from './history-loader.ts';
import { type KeptHistory, NO_HISTORY } from './kept-history.ts';

const FIRST_MS = 1_795_000_020_000 - (1_795_000_020_000 % MINUTE_MS);
const minuteAt = (place: number): Minute => ({ minuteMs: FIRST_MS + place * MINUTE_MS, sectors: [] });
const stateAt = (lastPlace: number) =>
  ({
    nowMs: FIRST_MS + (lastPlace + 1) * MINUTE_MS,
    lastMinuteMs: FIRST_MS + lastPlace * MINUTE_MS,
    lastSeq: 0,
    times: { gatesOpenAtMs: FIRST_MS + 60 * MINUTE_MS },
    rows: [],
  }) as unknown as DeskState;

/** Reads of minutes that nobody has answered yet. */
let asked: ServerResponse[];
/** Reads of the log that wait, where a test answers them itself. */
let askedForLog: ServerResponse[] | undefined;
let history: ReturnType<typeof createStore<KeptHistory>>;
let loader: HistoryLoader;

const EMPTY_LOG = JSON.stringify({ rows: [], hasMore: false });

const server = createServer((request, response) => {
  if (request.url?.startsWith('/history')) asked.push(response);
  else if (askedForLog) askedForLog.push(response);
  else response.end(EMPTY_LOG);
});

beforeEach(async () => {
  [asked, askedForLog, history] = [[], undefined, createStore(NO_HISTORY)];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  loader = loadHistory({ url, fetch, history });
  loader.opened();
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Answers the oldest read that waits, with these minutes. */
async function answer(...places: readonly number[]): Promise<void> {
  await until(() => expect(asked).not.toEqual([]));
  asked.shift()?.end(JSON.stringify(toHistory(places.map(minuteAt), [])));
}

const expectPlaces = (...places: readonly number[]): Promise<void> =>
  until(() =>
    expect(history.get().minutes.map(({ minuteMs }) => (minuteMs - FIRST_MS) / MINUTE_MS)).toEqual(places),
  );

/** As each second does: while a read is under way nothing else is asked for. */
const followUntilAsked = (lastPlace: number): Promise<void> =>
  until(() => {
    loader.follow(stateAt(lastPlace), pageClock());
    expect(asked).toHaveLength(1);
  });

async function loadFirst(): Promise<void> {
  loader.follow(stateAt(3), pageClock());
  await answer(0, 1, 2, 3);
  await expectPlaces(0, 1, 2, 3);
}

test('a minute that comes during a read stays, though the answer does not have it', async () => {
  await loadFirst();
  // A server that has begun anew, and reads its record just then.
  loader.opened();
  await followUntilAsked(4);
  for (const place of [0, 1, 2, 3]) loader.minuteReceived(minuteAt(place));
  await answer(4);
  await expectPlaces(0, 1, 2, 3, 4);
});

test('a state of an earlier stream starts no read, as the next server may not have read its minutes yet', async () => {
  const receivedAt = pageClock();
  loader.follow(stateAt(3), receivedAt);
  await answer(0, 1, 2, 3);
  await expectPlaces(0, 1, 2, 3);
  loader.opened();
  loader.follow(stateAt(3), receivedAt);
  await followUntilAsked(4);
  expect(asked[0]?.req.url).toMatch(`to=${FIRST_MS + 5 * MINUTE_MS}`);
  await answer(0, 1, 2, 3, 4);
  await expectPlaces(0, 1, 2, 3, 4);
});

test('the answer to a read of an earlier stream is ignored', async () => {
  await loadFirst();
  await followUntilAsked(4);
  loader.opened();
  await answer(4);
  await followUntilAsked(5);
  await expectPlaces(0, 1, 2, 3);
  await answer(1, 2, 3, 4, 5);
  await expectPlaces(1, 2, 3, 4, 5);
});

test('a log that an earlier stream requested is read again', async () => {
  const logReads: ServerResponse[] = [];
  askedForLog = logReads;
  await loadFirst();
  await until(() => expect(logReads).toHaveLength(1));
  loader.opened();
  logReads[0]?.end(EMPTY_LOG);
  await followUntilAsked(3);
  await answer(0, 1, 2, 3);
  await until(() => expect(logReads).toHaveLength(2));
});
