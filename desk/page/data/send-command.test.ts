import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSender } from './send-command.ts';

type Answer = (response: ServerResponse) => void;

/** The answers to the next requests; the last one repeats. */
let answers: Answer[];
let bodies: { id: string; text: string; by: string; untilMs?: number; seenSeq?: number }[];
/** Resolves `inLog` of a command, by its id. */
let foundInLog: Map<string, () => void>;
let recorded: string[];
let pending: number[];
let signIns: number;
let others: number;
let operator: string;
/** The clock of the servers, as the page knows it. */
let wallMs: number | undefined;
/** The newest row that the page knows of. */
let seenSeq: number;
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    bodies.push(JSON.parse(text) as (typeof bodies)[number]);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response);
  });
});

beforeEach(async () => {
  [answers, bodies, pending, signIns, others, operator] = [[problem(200)], [], [], 0, 0, 'Ana'];
  [foundInLog, recorded, wallMs, seenSeq] = [new Map(), [], 1_795_000_000_000, 7];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function problem(status: number, body: object = {}, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
}
const drop: Answer = (response) => response.destroy();

const send = (text = 'chuva') =>
  createSender({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fetch,
    operator: () => operator,
    sessionEnded: async () => void (signIns += 1),
    otherOperator: () => (others += 1),
    onPending: (count) => pending.push(count),
    readSeenSeq: () => seenSeq,
    readWallMs: () => wallMs,
    readTime: () => '18:36:02',
    onRecorded: ({ command }) => recorded.push(command.id),
    inLog: (id) => new Promise((resolve) => foundInLog.set(id, resolve)),
  })({ kind: 'occurrence', sector: null, text });

test('a command is recorded once the server confirms it', async () => {
  expect(await send()).toEqual({ kind: 'recorded' });
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toMatchObject({ kind: 'occurrence', text: 'chuva' });
  expect(bodies[0]?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(pending).toEqual([1, 0]);
  expect(recorded).toEqual([bodies[0]?.id]);
});

test('after a fault the same command is sent again, and another one has another id', async () => {
  answers = [drop, problem(503, {}, { 'retry-after': '0' }), problem(200)];
  expect(await send()).toEqual({ kind: 'recorded' });
  expect(bodies).toHaveLength(3);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
  await send();
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(2);
});

test('a refusal has its reason in words, and is not sent again', async () => {
  const cases: readonly (readonly [Answer, RegExp])[] = [
    [problem(409, { reason: 'acknowledged' }), /ciente/],
    [problem(409, { reason: 'toString' }), /não aceitou \(409\)/],
    [problem(422, { field: 'text' }), /500 letras/],
    [problem(429, {}, { 'retry-after': '9' }), /em um minuto/],
    [(response) => response.writeHead(400).end('no json'), /não aceitou \(400\)/],
  ];
  for (const [answer, words] of cases) {
    answers = [answer];
    expect(await send()).toEqual({ kind: 'refused', message: expect.stringMatching(words) as string });
  }
  expect(bodies).toHaveLength(cases.length);
});

test('after the end of a session a command is sent once somebody has signed in', async () => {
  answers = [problem(401), problem(200)];
  expect(await send()).toEqual({ kind: 'recorded' });
  expect(signIns).toBe(1);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
});

test('a command stays that of its operator, even if somebody else signs in before it is sent', async () => {
  answers = [problem(401), problem(409, { reason: 'other-operator' })];
  const sent = send();
  operator = 'Bia';
  expect(await sent).toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/outra pessoa/) as string,
  });
  expect(bodies.map(({ by }) => by)).toEqual(['Ana', 'Ana']);
  // What is given from now on is in the name of who is there.
  expect(others).toBe(1);
});

test('a command that is not recorded within a minute returns with its time, and a retry has the same id', async () => {
  answers = [problem(503, {}, { 'retry-after': '60' }), problem(200)];
  const outcome = await send();
  if (outcome.kind !== 'unsent') throw new Error(outcome.kind);
  expect(outcome).toMatchObject({
    message: expect.stringMatching('registro não está disponível') as string,
    givenAt: '18:36:02',
  });
  wallMs = 1_795_000_200_000;
  expect(await outcome.retry()).toEqual({ kind: 'recorded' });
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
  // No server records it later than that, by its own clock.
  expect(bodies.map(({ untilMs }) => untilMs)).toEqual([1_795_000_060_000, 1_795_000_260_000]);
});

test('a command has the row that was newest when it was given, however often it is sent', async () => {
  answers = [problem(503, {}, { 'retry-after': '60' }), problem(200)];
  const outcome = await send();
  if (outcome.kind !== 'unsent') throw new Error(outcome.kind);
  seenSeq = 9;
  expect(await outcome.retry()).toEqual({ kind: 'recorded' });
  expect(bodies.map((body) => body.seenSeq)).toEqual([7, 7]);
});

test('a server of the former version receives the command without `seenSeq`', async () => {
  answers = [problem(422, { field: 'body' }), problem(200)];
  expect(await send()).toEqual({ kind: 'recorded' });
  expect(bodies.map((body) => body.seenSeq)).toEqual([7, undefined]);
});

test('a command that is too late returns, and one that turns up in the log is found', async () => {
  answers = [problem(409, { reason: 'too-late' })];
  wallMs = undefined;
  const outcome = await send();
  if (outcome.kind !== 'unsent') throw new Error(outcome.kind);
  expect(outcome.message).toMatch('passou tempo demais');
  expect(bodies[0]).not.toHaveProperty('untilMs');
  foundInLog.get(bodies[0]?.id ?? '')?.();
  await outcome.found;
});
