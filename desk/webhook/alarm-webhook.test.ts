import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { chain, occurrence } from '../../testing/desk/log-rows.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { unhinderedNow, until } from '../../testing/until.ts';
import { startWebhookReceiver } from '../../testing/desk/webhook-receiver.ts';
import { AlarmWebhook } from './alarm-webhook.ts';
import { signMessage } from './signature.ts';
import { WEBHOOK_LIMITS, type WebhookLimits } from './webhook-limits.ts';

const NOW_MS = 1_795_000_000_000;
const KEY = Buffer.alloc(32, 7);

const receiver = openForEach(startWebhookReceiver);

/** A webhook of a log, of which every occurrence is sent. */
function openWebhook({ limits, isLeader = true, path = '' }: TestWebhookOptions = {}) {
  const logged: string[] = [];
  const answered: [string, number][] = [];
  const webhook = new AlarmWebhook({
    target: { url: `${receiver.url}${path}`, key: KEY },
    toMessage: ({ id, kind }) => (kind === 'occurrence' ? { id, body: `{"about":"${id}"}` } : undefined),
    maySend: (isRecorded) => (isRecorded ? opened.isLeader : opened.isRecordAway),
    onAnswered: ({ id }, status) => answered.push([id, status]),
    nowMs: () => opened.nowMs,
    log: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
    limits: { ...WEBHOOK_LIMITS, maxRetryDelayMs: 20, ...limits },
  });
  const opened = { webhook, logged, answered, isLeader, isRecordAway: false, nowMs: NOW_MS };
  closeOnce(() => webhook.stop());
  return opened;
}

interface TestWebhookOptions {
  readonly limits?: Partial<WebhookLimits>;
  readonly isLeader?: boolean;
  readonly path?: string;
}

function rowsOf(...ids: string[]): LogRow[] {
  return chain('event', ids.map(entryOf));
}

function logOf(...ids: string[]): { readonly log: readonly LogRow[] } {
  return { log: rowsOf(...ids) };
}

/** An occurrence; `x!`: x was answered. */
function entryOf(id: string): LogEntry {
  const entry = occurrence(id, 'x', NOW_MS - 1_000);
  if (!id.endsWith('!')) return entry;
  return { ...entry, by: null, kind: 'notified', data: { id: id.slice(0, -1), status: 200 } };
}

const receivedIds = (): unknown[] => receiver.received.map(({ headers }) => headers['webhook-id']);

test('each row is sent once, in order, signed over its body and the time, and then noted', async () => {
  const begunAtS = Math.floor(Date.now() / 1_000);
  const { webhook, answered } = openWebhook();
  webhook.loaded(logOf('a', 'b'));
  webhook.rows(rowsOf('c'));
  await until(() => expect(answered).toEqual(['a', 'b', 'c'].map((id) => [id, 204])));
  expect(receivedIds()).toEqual(['a', 'b', 'c']);
  for (const { headers, body, path } of receiver.received) {
    expect(path).toBe('/hook');
    expect(headers['content-type']).toBe('application/json');
    const sentAtS = Number(headers['webhook-timestamp']);
    expect(sentAtS).toBeGreaterThanOrEqual(begunAtS);
    expect(sentAtS).toBeLessThanOrEqual(Date.now() / 1_000);
    expect(headers).toMatchObject(signMessage(KEY, String(headers['webhook-id']), body, sentAtS * 1_000));
  }
  expect([webhook.taken, webhook.waiting, webhook.givenUp]).toEqual([3, 0, 0]);
});

test('a receiver that fails, or is not there, is asked again for the same message until it takes it', async () => {
  const { webhook, logged } = openWebhook();
  const statuses = [500, 404, 429, 302, 503];
  receiver.answer = () => ({ status: statuses.shift() ?? 200, headers: { location: '/elsewhere' } });
  webhook.loaded(logOf('a', 'b'));
  await until(() => expect(webhook.taken).toBe(2));
  expect(receivedIds()).toEqual(['a', 'a', 'a', 'a', 'a', 'a', 'b']);
  expect(receiver.received.map(({ path }) => path)).not.toContain('/elsewhere');
  await receiver.close();
  webhook.rows(rowsOf('c'));
  await until(() => expect(logged.join('')).toContain('ECONNREFUSED'));
  await receiver.reopen();
  await until(() => expect(webhook.taken).toBe(3));
  expect(logged.join('')).not.toContain('hook');
});

test('a receiver that never answers is given up in time, whatever is collected meanwhile, and asked again', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { webhook, logged } = openWebhook({ limits: { answerMs: 500 } });
  receiver.answer = () => 'never';
  webhook.loaded(logOf('a'));
  webhook.rows(rowsOf('b'));
  await until(() => {
    collect();
    expect(receiver.received.length).toBeGreaterThan(1);
  });
  expect(logged.join('')).toContain('does not answer in time');
  receiver.answer = () => 200;
  await until(() => expect(webhook.taken).toBe(2));
});

test('a receiver that begins an answer and does not end it has taken the message, and holds nothing up', async () => {
  const { webhook, answered } = openWebhook({ limits: { answerMs: 60_000 } });
  receiver.answer = () => 'no-end';
  webhook.loaded(logOf('a', 'b'));
  await until(() => expect(answered).toHaveLength(2));
  expect(answered.map(([, status]) => status)).toEqual([200, 200]);
  await until(() => expect(receiver.answering).toBe(0));
});

test('attempts come further and further apart', async () => {
  const { webhook } = openWebhook({ limits: { maxRetryDelayMs: 60_000 } });
  receiver.answer = () => 500;
  webhook.loaded(logOf('a'));
  await until(() => expect(receiver.received).toHaveLength(4));
  const atMs = receiver.received.map((one) => one.atMs);
  const pauses = atMs.slice(1).map((ms, place) => ms - (atMs[place] ?? NaN));
  // Each is between half of and the whole of 100, 200, 400 ms.
  for (const [place, least] of [45, 95, 195].entries()) expect(pauses[place]).toBeGreaterThan(least);
});

test('attempts do not come before the receiver wants them, up to the longest pause', async () => {
  const { webhook } = openWebhook({ limits: { maxRetryDelayMs: 400 } });
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
  webhook.loaded(logOf('a'));
  await until(() => expect(receiver.received.length).toBe(3));
  const [first, second, third] = receiver.received.map(({ atMs }) => atMs);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(390);
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThan(390);
  receiver.answer = () => 500;
  const before = receiver.received.length;
  await until(() => expect(receiver.received.length).toBeGreaterThan(before + 1));
});

test('what the receiver refuses for good is noted with its status, and does not hold the next one up', async () => {
  const { webhook, answered, logged } = openWebhook();
  receiver.answer = ({ body }) => (body.includes('"a"') ? 422 : 200);
  webhook.loaded(logOf('a', 'b'));
  await until(() => expect(answered).toHaveLength(2));
  expect(answered).toEqual([
    ['a', 422],
    ['b', 200],
  ]);
  expect([webhook.taken, webhook.givenUp]).toEqual([1, 1]);
  expect(logged.join('')).toMatch(/refuses an alarm for good/);
});

test('a process that does not write the record sends nothing, and what waits once it does', async () => {
  const opened = openWebhook({ isLeader: false });
  opened.webhook.loaded(logOf('a'));
  opened.webhook.rows(rowsOf('b', 'a!'));
  const other = openWebhook({ path: '/other' });
  other.webhook.loaded(logOf('x'));
  await until(() => expect(receivedIds()).toEqual(['x']));
  opened.isLeader = true;
  opened.webhook.leader();
  await until(() => expect(opened.answered).toEqual([['b', 204]]));
});

test('after a restart it goes on where the log ends: what was answered is not sent again, the rest is', async () => {
  const { webhook, answered } = openWebhook();
  webhook.loaded(logOf('a', 'b', 'c', 'a!', 'b!', 'd'));
  await until(() => expect(answered).toHaveLength(2));
  expect(receivedIds()).toEqual(['c', 'd']);
  // The connection to the record was lost before it was written that these were answered.
  webhook.loaded(logOf('a', 'b', 'c', 'a!', 'b!', 'd', 'e'));
  await until(() => expect(answered).toHaveLength(3));
  expect(receivedIds()).toEqual(['c', 'd', 'e']);
});

test('what waits for the record is sent while that is away, and not again when it is recorded', async () => {
  const opened = openWebhook({ isLeader: false });
  const { webhook, answered } = opened;
  webhook.loaded(logOf());
  webhook.noted(entryOf('a'));
  webhook.noted(entryOf('b'));
  expect(webhook.waiting).toBe(2);
  opened.isRecordAway = true;
  await until(() => expect(answered.map(([id]) => id)).toEqual(['a', 'b']));
  opened.isRecordAway = false;
  webhook.noted(entryOf('c'));
  // The record is read anew before it can be written.
  webhook.loaded(logOf());
  expect(webhook.waiting).toBe(1);
  opened.isLeader = true;
  webhook.rows(rowsOf('a', 'b', 'c'));
  await until(() => expect(receivedIds()).toEqual(['a', 'b', 'c']));
  await until(() => expect(webhook.waiting).toBe(0));
  opened.isLeader = false;
  webhook.noted(entryOf('d'));
  webhook.withdrawn(['d']);
  expect(webhook.waiting).toBe(0);
});

test('what waits is bounded: the oldest is not sent any more, counted and logged', async () => {
  const opened = openWebhook({ isLeader: false, limits: { maxWaiting: 3 } });
  const { webhook, logged } = opened;
  webhook.rows(rowsOf('a', 'b', 'c', 'd', 'e'));
  expect([webhook.waiting, webhook.givenUp]).toEqual([3, 2]);
  expect(logged.join('')).toMatch(/"count":2.*not sent to ALARM_WEBHOOK_URL any more/);
  opened.isLeader = true;
  webhook.leader();
  await until(() => expect(receivedIds()).toEqual(['c', 'd', 'e']));
});

test('what grew too old while it waited is not sent any more, counted and logged; an old log is history', async () => {
  const opened = openWebhook({ isLeader: false, limits: { maxAgeMs: 60_000 } });
  const { webhook, logged } = opened;
  const [past] = rowsOf('past');
  if (past) webhook.rows([{ ...past, atMs: NOW_MS - 60_001 }]);
  expect([webhook.waiting, webhook.givenUp]).toEqual([0, 0]);
  webhook.rows(rowsOf('a', 'b'));
  opened.nowMs = NOW_MS + 60_000;
  const [young] = rowsOf('c');
  if (young) webhook.rows([{ ...young, atMs: opened.nowMs }]);
  opened.isLeader = true;
  webhook.leader();
  await until(() => expect(receivedIds()).toEqual(['c']));
  expect(webhook.givenUp).toBe(2);
  expect(logged.join('')).toMatch(/"why":"it is too old".*not sent to ALARM_WEBHOOK_URL any more/);
});

test('there is a warning while the receiver takes nothing, and no longer', async () => {
  const { webhook } = openWebhook({ limits: { quietMs: 30 } });
  receiver.answer = () => 500;
  webhook.loaded(logOf('a', 'b'));
  expect(webhook.warning).toBeUndefined();
  await until(() =>
    expect(webhook.warning).toBe('ALARM_WEBHOOK_URL takes no alarm (2 wait): it answers 500'),
  );
  receiver.answer = () => 200;
  await until(() => expect(webhook.taken).toBe(2));
  expect(webhook.warning).toBeUndefined();
});

test('it stops at once, also while the receiver is silent, and sends nothing afterwards', async () => {
  receiver.answer = () => 'never';
  const { webhook, answered } = openWebhook({ limits: { closeGraceMs: 50 } });
  webhook.loaded(logOf('a', 'b'));
  await until(() => expect(receiver.received).toHaveLength(1));
  const startMs = unhinderedNow();
  await webhook.stop();
  expect(unhinderedNow() - startMs).toBeLessThan(1_000);
  webhook.rows(rowsOf('c'));
  await webhook.stop();
  expect(receiver.received).toHaveLength(1);
  expect(answered).toEqual([]);
});
