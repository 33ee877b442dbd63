import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { matchView, MATCH_KICK_OFF_MS } from '../../../testing/desk/match-view.ts';
import { until } from '../../../testing/until.ts';
import { createReplayPlayer, type ReplayPlayer } from './replay-player.ts';
import type { RecordedSpan } from './recorded-span.ts';
import { minuteShown } from './replay.ts';

const { state } = matchView({ atMin: -30 });
const LAST_MS = MATCH_KICK_OFF_MS - 10 * MINUTE_MS;
const FIRST_MS = LAST_MS - 60 * MINUTE_MS;
const PACE_MS = 20;

type Answer = (response: ServerResponse, atMs: number) => void;

/** Of the requests, in order. */
let asked: { readonly minuteMs: number; isAborted: boolean }[];
/** When each was sent: how long it is under way is not the player's. */
let sentAtMs: number[];
/** The answers to the next requests; the last one repeats. */
let answers: Answer[];
let signIns: number;
let player: ReplayPlayer;
let span: RecordedSpan;

const recorded: Answer = (response, atMs) => response.end(JSON.stringify({ ...state, nowMs: atMs }));
const refused =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end('{}');
const silence: Answer = () => {};

const server = createServer((request, response) => {
  const atMs = Number(new URL(request.url ?? '', 'http://x').searchParams.get('at'));
  const entry = { minuteMs: atMs - MINUTE_MS, isAborted: false };
  asked.push(entry);
  response.on('close', () => (entry.isAborted = !response.writableFinished));
  (answers.length > 1 ? answers.shift() : answers[0])?.(response, atMs);
});

beforeEach(async () => {
  [asked, sentAtMs, answers, signIns] = [[], [], [recorded], 0];
  span = { firstMs: FIRST_MS, lastMs: LAST_MS };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  player = createPlayer();
});

/** Without `answerLimitMs` none is given up, however busy the machine is. */
function createPlayer({ answerLimitMs = 60_000, paceMs = PACE_MS } = {}): ReplayPlayer {
  return createReplayPlayer({
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fetch: (...request) => {
      sentAtMs.push(performance.now());
      return fetch(...request);
    },
    span: () => span,
    sessionEnded: async () => void (signIns += 1),
    paceMs,
    minuteTakesMs: 3_000,
    answerLimitMs,
  });
}

afterEach(async () => {
  player.leave();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const shownMs = (): number | undefined => {
  const shown = player.replay.get()?.shown;
  return shown && minuteShown(shown);
};
const problem = () => player.replay.get()?.problem?.kind;

test('a minute is shown once it has come, and none before', async () => {
  expect(player.replay.get()).toBe(null);
  player.open(FIRST_MS);
  expect(player.replay.get()).toMatchObject({ wantedMs: FIRST_MS, shown: undefined });
  await until(() => expect(shownMs()).toBe(FIRST_MS));
  player.leave();
  expect(player.replay.get()).toBe(null);
});

test('steps stay within what is recorded, and requests keep their pace: only the newest is asked for', async () => {
  player.open(FIRST_MS);
  await until(() => expect(shownMs()).toBe(FIRST_MS));
  player.step(-1);
  expect(player.replay.get()?.wantedMs).toBe(FIRST_MS);
  for (let step = 0; step < 100; step += 1) player.step(1);
  await until(() => expect(shownMs()).toBe(LAST_MS));
  expect(asked.map(({ minuteMs }) => minuteMs)).toEqual([FIRST_MS, LAST_MS]);
});

test('a step never goes the other way, where the newest minutes are missing just after a reconnection', () => {
  player.open(LAST_MS);
  span = { firstMs: FIRST_MS, lastMs: LAST_MS - 15 * MINUTE_MS };
  player.step(1);
  expect(player.replay.get()?.wantedMs).toBe(LAST_MS);
  player.step(-1);
  expect(player.replay.get()?.wantedMs).toBe(LAST_MS - MINUTE_MS);
});

test('a request that is superseded is given up', async () => {
  // Far longer than a busy machine takes to send the first.
  const paceMs = 300;
  player = createPlayer({ paceMs });
  // At once, within its pace.
  answers = [() => player.open(LAST_MS), recorded];
  player.open(FIRST_MS);
  await until(() => expect(shownMs()).toBe(LAST_MS));
  await until(() => expect(asked.map(({ isAborted }) => isAborted)).toEqual([true, false]));
  const [first = Infinity, second = 0] = sentAtMs;
  expect(second - first).toBeGreaterThan(paceMs / 2);
});

test('a minute that is not recorded does not take the place of one that was asked for meanwhile', async () => {
  const notRecorded = refused(404);
  // The answer comes while the next request keeps its pace.
  player = createPlayer({ paceMs: 500 });
  answers = [
    (response, atMs) => {
      player.open(FIRST_MS);
      notRecorded(response, atMs);
    },
    recorded,
  ];
  player.open(LAST_MS);
  await until(() => expect(asked).toHaveLength(2));
  await until(() => expect(shownMs()).toBe(FIRST_MS));
});

test('it plays each minute, and stands still at the last one', async () => {
  const fromMs = LAST_MS - 4 * MINUTE_MS;
  player.open(fromMs);
  player.play(60);
  await until(() => expect(player.replay.get()).toMatchObject({ speed: undefined, wantedMs: LAST_MS }));
  expect(shownMs()).toBe(LAST_MS);
  expect(asked.map(({ minuteMs }) => (minuteMs - fromMs) / MINUTE_MS)).toEqual([0, 1, 2, 3, 4]);
  for (const [index, atMs] of sentAtMs.slice(2).entries())
    expect(atMs - (sentAtMs[index + 1] ?? Infinity)).toBeGreaterThan(20);
});

test('paused, it stays where it is', async () => {
  player.open(FIRST_MS);
  player.play(60);
  await until(() => expect(asked.length).toBeGreaterThan(2));
  player.pause();
  const { wantedMs } = player.replay.get() ?? {};
  await until(() => expect(shownMs()).toBe(wantedMs));
  const count = asked.length;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(asked).toHaveLength(count);
});

test('a minute that is not recorded is a problem, and the displayed one stays', async () => {
  player.open(LAST_MS);
  await until(() => expect(shownMs()).toBe(LAST_MS));
  answers = [refused(404)];
  player.open(FIRST_MS);
  await until(() => expect(problem()).toBe('not-recorded'));
  expect(player.replay.get()).toMatchObject({ wantedMs: LAST_MS, problem: { minuteMs: FIRST_MS } });
  expect(shownMs()).toBe(LAST_MS);
  answers = [recorded];
  player.step(-1);
  await until(() => expect(shownMs()).toBe(LAST_MS - MINUTE_MS));
  expect(problem()).toBe(undefined);
});

test('a missing answer and too many requests are problems, and the player retries by itself', async () => {
  player = createPlayer({ answerLimitMs: 500 });
  const cases: readonly (readonly [Answer, string])[] = [
    [(response) => response.destroy(), 'no-answer'],
    [refused(503, { 'retry-after': '0' }), 'no-answer'],
    [refused(429, { 'retry-after': '1' }), 'busy'],
    [silence, 'no-answer'],
  ];
  for (const [index, [answer, kind]] of cases.entries()) {
    answers = [answer, recorded];
    const problems: (string | undefined)[] = [];
    const leave = player.replay.subscribe(() => problems.push(problem()));
    player.open(FIRST_MS + index * MINUTE_MS);
    await until(() => expect(shownMs()).toBe(FIRST_MS + index * MINUTE_MS));
    leave();
    expect(problems).toContain(kind);
    expect(problem()).toBe(undefined);
  }
});

test('a session that has ended is asked for, and then the minute', async () => {
  answers = [refused(401), recorded];
  player.open(FIRST_MS);
  await until(() => expect(shownMs()).toBe(FIRST_MS));
  expect(signIns).toBe(1);
});

test('a malformed state is a problem, and is not requested again', async () => {
  for (const answer of [refused(403), (response: ServerResponse) => response.end('{"nowMs":1}')]) {
    answers = [answer];
    player.open(FIRST_MS);
    await until(() => expect(problem()).toBe('refused'));
    player.leave();
  }
});
