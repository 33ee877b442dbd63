import { beforeEach, expect, test, vi } from 'vitest';
import {
  GATES_KEY,
  sellTickets,
  shutGate,
  shutSilently,
  startGatesListener,
  useGatesListener,
} from '../../testing/gates/gates-listener.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { insertTickets } from '../../testing/database/database.ts';

const tool = useGatesTool();
const { tickets } = tool;
const listener = useGatesListener(tool);

beforeEach(async () => {
  await insertTickets(tool.database.gates, [
    { id: 'a', setor: '4' },
    { id: 'b', setor: '9' },
  ]);
});

test('a bad message of a body is refused by itself, whatever is wrong with it, and the good ones are written', async () => {
  const lines = [
    '{"id":"a","entrou":true}',
    '{"id":"a","entrou":1}',
    '{"id":',
    '{"id":"b","entrou":true,"at":"today"}',
    '{"id":"nobody","entrou":true}',
    '{"id":"b","entrou":true}',
  ];
  const refused = [
    { message: 2, detail: 'its entrou is neither true nor false' },
    { message: 3, detail: 'it is no JSON' },
    { message: 4, detail: 'its at is no date and time with an offset, as 2025-03-26T20:15:00.123-03:00' },
  ];
  for (const body of [lines.join('\n'), `[${lines.filter((_, index) => index !== 2).join(',\n')}]`]) {
    await tool.database.gates`update tickets set entrou = false`;
    const isLines = body.startsWith('{');
    const { status, answer } = await listener.post(body, {
      headers: { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' },
    });
    expect([status, answer]).toMatchObject([
      200,
      { messages: isLines ? 6 : 5, applied: 2, kept: 1, refused: isLines ? 3 : 2, withoutEffectOmitted: 0 },
    ]);
    const listed = (answer['withoutEffect'] as { outcome: string }[]).filter(
      ({ outcome }) => outcome === 'refused',
    );
    expect(listed).toMatchObject(isLines ? refused : [refused[0], { ...refused[2], message: 3, line: 3 }]);
    expect(await tickets()).toEqual(['event|a|t|t|4', 'event|b|t|t|9']);
  }
});

test.each([
  ['{"id":"b"', 1, 2],
  ['{"id":"b","entrou":true}', 2, 3],
  ['{"id":"b","entrou":true},', 2, 3],
])('an array that breaks off behind %s is written up to there', async (last, applied, missing) => {
  const { status, answer } = await listener.post(`[{"id":"a","entrou":true},\n${last}`, {
    headers: { 'content-type': 'application/json' },
  });
  expect([status, answer]).toMatchObject([
    200,
    {
      applied,
      refused: 1,
      withoutEffect: [{ message: missing, line: 2, outcome: 'refused', detail: 'the array is not closed' }],
    },
  ]);
  expect(await tool.entered()).toBe(applied);
});

test('where all messages are bad, the answer is 422: each is named, twenty at most, and how many there are', async () => {
  const bad = Array.from({ length: 30 }, (_, index) => `{"id":"a","entrou":${index}}`);
  const { status, headers, answer } = await listener.post(['', ...bad].join('\n'));
  expect([status, headers.get('content-type')]).toEqual([422, 'application/problem+json; charset=utf-8']);
  expect(answer['detail']).toBe('Nothing was changed: 30 messages are wrong. The first 20 are listed.');
  expect(answer['errorCount']).toBe(30);
  const errors = answer['errors'] as readonly unknown[];
  expect(errors).toHaveLength(20);
  expect(errors[0]).toEqual({ message: 1, line: 2, detail: 'its entrou is neither true nor false' });
});

test('what the database refuses for one ticket harms no other of the same moment', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => (index === 7 ? 'shut' : `t${index}`));
  await sellTickets(tool.database, ids);
  await shutGate(tool.database, 'shut%');
  const answers = await Promise.all(ids.map((id) => listener.post({ id, entrou: true })));
  expect(answers.map(({ status }) => status)).toEqual(ids.map((id) => (id === 'shut' ? 409 : 200)));
  expect(answers[7]?.answer).toMatchObject({
    detail: 'Nothing was changed: 1 message is refused by the database.',
    errors: [{ message: 1, id: 'shut', detail: expect.stringMatching(/refused this: the gate is shut\./) }],
  });
  expect(await tool.entered()).toBe(39);
});

test.each(['return null', 'new.entrou := old.entrou; return new'])(
  'what a trigger does not let be changed, without an error, is refused, and harms no other of its body: %s',
  async (then) => {
    await sellTickets(tool.database, ['shut', 't1']);
    await shutSilently(tool.database, 'shut', then);
    const posted = await listener.post(['shut', 't1'].map((id) => ({ id, entrou: true })));
    const detail = expect.stringMatching(
      /^A trigger of the database does not let a ticket be changed/,
    ) as string;
    expect([posted.status, posted.answer]).toMatchObject([
      200,
      { applied: 1, refused: 1, withoutEffect: [{ message: 1, id: 'shut', outcome: 'refused', detail }] },
    ]);
    expect((await listener.post({ id: 'shut', entrou: true })).status).toBe(409);
    expect(await tool.entered()).toBe(1);
  },
);

test('what the database refuses for some tickets of a body harms no other of it, in their order', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => (index % 33 === 1 ? `shut${index}` : `t${index}`));
  await sellTickets(tool.database, ids);
  await shutGate(tool.database, 'shut%');
  const { status, answer } = await listener.post([
    ...ids.map((id) => ({ id, entrou: true })),
    { id: 't0', entrou: false },
  ]);
  expect([status, answer]).toMatchObject([200, { messages: 101, applied: 98, refused: 3 }]);
  expect(answer['withoutEffect']).toMatchObject([
    { message: 2, id: 'shut1', outcome: 'refused' },
    { message: 35, id: 'shut34', outcome: 'refused' },
    { message: 68, id: 'shut67', outcome: 'refused' },
  ]);
  expect(await tool.entered()).toBe(96);
});

test('while a full disk takes some messages and refuses others, /readyz is 503 with the reason, and metrics count the refusals', async () => {
  const ready = (): Promise<Response> => fetch(`${listener.url}/readyz`);
  await shutGate(tool.database, 'a', '53100');
  expect((await listener.post({ id: 'a', entrou: true })).status).toBe(503);
  expect((await listener.post({ id: 'b', entrou: true })).status).toBe(200);
  const answer = await ready();
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    {
      status: 'not writing',
      waitingFor: expect.stringMatching(/^The disk of the database .* is full: /) as string,
    },
  ]);
  const metrics = await (await fetch(`${listener.url}/metrics`)).text();
  expect(metrics).toMatch(/^triagem_gates_answers_total\{status="503"\} 1$/m);
  expect(metrics).toMatch(/^triagem_gates_answers_total\{status="200"\} 1$/m);
  const nowMs = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(nowMs + 31_000);
  expect((await ready()).status).toBe(200);
  await listener.stop();
  expect(tool.stderr).toMatch(/, 1 answered 503; the last 503: The disk of the database .* is full: /);
});

test.each([
  [{}, 'from 127.0.0.1'],
  [{ TRUST_PROXY: '127.0.0.1' }, 'from 10.20.1.7'],
  [{ TRUST_PROXY: '::1/128, 127.0.0.0/8' }, 'from 10.20.1.7'],
])(
  'whose message is refused is named by its address, behind a proxy that %j names, too',
  async (env, from) => {
    const behind = await startGatesListener({ ...env, GATES_DATABASE_URL: tool.database.gatesUrl });
    await behind.post({ id: 1 }, { headers: { 'x-forwarded-for': '10.20.1.7' } });
    const { warning } = (await (await fetch(`${behind.url}/readyz`)).json()) as { warning: string };
    expect(warning).toContain(`${from},`);
    await behind.stop();
  },
);

test.each(['nginx', '127.0.0.1/99', '1'])(
  'a proxy that is no address is refused: %s',
  async (TRUST_PROXY) => {
    const why = `TRUST_PROXY is "${TRUST_PROXY}": give`;
    await expect(startGatesListener({ TRUST_PROXY })).rejects.toThrow(why);
  },
);

test.each([
  [401, 'the key, or', '/events/ID/tickets', { authorization: 'Bearer uma-outra-chave' }],
  [404, 'its address is', '/events/uma-partida/tickets', {}],
  [404, 'its address is', `/events/${'x'.repeat(99)}/tickets`, {}],
  [404, 'its address is', '/event/ID/tickets', {}],
  [415, 'its content type', '/events/ID/tickets', { 'content-type': 'text/plain' }],
  [400, 'its query', '/events/ID/tickets?uma-chave', {}],
  [405, 'its method is not POST', '/events/ID/tickets', {}, 'PUT'],
])(
  'a request that is refused whole with %i is logged, counted, and named in /readyz: %s',
  async (status, fault, path, headers, method = 'POST') => {
    const before = tool.stderr.length;
    const url = `${listener.url}${path.replace('ID', 'e'.repeat(32))}`;
    const authorization = `Bearer ${GATES_KEY}`;
    const sent = { authorization, 'content-type': 'application/json', ...headers };
    const refused = await fetch(url, { method, headers: sent, body: '[]' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([status, status === 405 ? 'POST' : null]);
    const { warning } = (await (await fetch(`${listener.url}/readyz`)).json()) as { warning: string };
    const from = '127\\.0\\.0\\.1';
    expect(warning).toMatch(
      new RegExp(`^Refused since \\S+: 1 request, the last at \\S+ from ${from}, as ${fault}`),
    );
    const lines = tool.stderr.slice(before).split('\n');
    expect(lines.filter((line) => line.includes('is refused'))).toEqual([
      expect.stringMatching(new RegExp(`a request from ${from} is refused: ${fault}`)),
    ]);
    expect(`${warning}${lines.join('')}`).not.toMatch(/uma-/);
    expect(await (await fetch(`${listener.url}/metrics`)).text()).toContain(
      `triagem_gates_answers_total{status="${status}"} 1`,
    );
  },
);
