import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { insertTickets } from '../../testing/database/database.ts';
import { type PostOptions, shareGatesListener, shutGate } from '../../testing/gates/gates-listener.ts';
import { simulatedIds } from '../simulator/simulated-id.ts';
import { DURATIONS } from './limits.ts';
import { OPENAPI } from './openapi.ts';
import { readTicketMessage } from './ticket-message.ts';

const SIMULATED_EVENT = 'b'.repeat(32);

// A busy machine takes its time for 16 MB.
const { database, listener } = shareGatesListener({ ...DURATIONS, requestMs: 240_000 });
// With its formats; keywords of OpenAPI's own are no fault.
const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema(OPENAPI, 'openapi');

beforeAll(async () => {
  await insertTickets(database.gates, [
    { id: 'a', setor: '4' },
    { id: 'refused', setor: '4' },
    { id: simulatedIds(SIMULATED_EVENT)(1), setor: '4', eventId: SIMULATED_EVENT },
  ]);
  await shutGate(database, 'refused');
});

test('what is served is OpenAPI 3.1, and what is served', async () => {
  const response = await fetch(`${listener.url}/openapi.json`);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const document = (await response.json()) as Record<string, unknown>;
  expect(document).toEqual(OPENAPI);
  const validator = new Validator();
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

type Answers = Readonly<
  Record<string, { content: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, unknown>> }>
>;

/** Holds an answer against what the document says of this path, method and status. */
function expectAsDocumented(
  responses: Answers,
  { status, headers, answer }: { status: number; headers: Headers; answer: unknown },
  pointer: string,
): void {
  const documented = responses[String(status)];
  expect(documented, `status ${status} is documented`).toBeDefined();
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  expect(Object.keys(documented?.content ?? {})).toContain(type);
  for (const name of Object.keys(documented?.headers ?? {})) expect(headers.get(name)).not.toBeNull();
  const escape = (text: string): string =>
    encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
  const validate = ajv.getSchema(`openapi#${pointer}/responses/${status}/content/${escape(type)}/schema`);
  expect(validate?.(answer), JSON.stringify([answer, validate?.errors])).toBe(true);
}

const { responses } = OPENAPI.paths['/events/{eventId}/tickets'].post;
const POST = '/paths/~1events~1%7BeventId%7D~1tickets/post';
const AT = '2025-03-26T20:15:00-03:00';

const CASES: readonly (readonly [status: number, body: unknown, options?: PostOptions])[] = [
  [200, { id: 'a', entrou: true, at: AT }],
  [200, { id: 'a', entrou: true, at: AT }],
  [
    200,
    [
      { id: 'a', entrou: false, at: '2025-03-26T20:14:00-03:00' },
      { id: 'a', entrou: true },
    ],
  ],
  [200, []],
  [200, '{"id":"a","entrou":true}\n'],
  [200, { id: 'new', setor: '4' }, { query: '?create=true' }],
  [400, { id: 'a', entrou: true }, { query: '?create=2' }],
  [401, { id: 'a', entrou: true }, { headers: { authorization: 'Bearer wrong' } }],
  [200, { id: 'a', entrou: true, gate: '7' }, { eventId: 'f'.repeat(32) }],
  [200, { id: 'x', setor: '4' }, { eventId: SIMULATED_EVENT, query: '?create=true' }],
  [200, { id: 'nobody', entrou: true, at: AT }],
  [200, '{}\n{"id":"a","entrou":true,"at":"2090-01-01T00:00:00Z"}'],
  [404, { id: 'a', entrou: true }, { eventId: 'f' }],
  [409, { id: 'refused', setor: '9' }],
  [413, 'x'.repeat(16 * 2 ** 20 + 1)],
  [415, 'x', { headers: { 'content-type': 'text/csv' } }],
  [413, '{}\n'.repeat(200_001)],
  [422, { id: 'a', entrou: 1 }],
  [422, '{}\n'.repeat(30)],
];

test.each(CASES.map(([status, body, options]) => ({ status, body, options })))(
  'an answer with $status is as documented (%#)',
  async ({ status, body, options }) => {
    const posted = await listener.post(body, options);
    expect(posted.status).toBe(status);
    expectAsDocumented(responses, posted, POST);
  },
);

test('answers with 429 and 503, and those about health, are as documented', async () => {
  let posted = await listener.post([], { headers: { authorization: 'Bearer wrong' } });
  for (let time = 0; time < 11; time += 1) {
    posted = await listener.post([], { headers: { authorization: 'Bearer wrong' } });
  }
  expect(posted.status).toBe(429);
  expectAsDocumented(responses, posted, POST);
  const expectHealth = async (path: '/healthz' | '/readyz', status: number): Promise<void> => {
    const response = await fetch(`${listener.url}${path}`);
    expect(response.status).toBe(status);
    const { get } = OPENAPI.paths[path];
    const answer: unknown = await response.json();
    expectAsDocumented(
      get.responses,
      { status, headers: response.headers, answer },
      `/paths/~1${path.slice(1)}/get`,
    );
  };
  await expectHealth('/healthz', 200);
  await expectHealth('/readyz', 200);
  await database.gates`select 1`;
  await database.allowConnections(false);
  await database.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${database.name} and application_name = 'triagem gates'`;
  await expect.poll(async () => (await fetch(`${listener.url}/readyz`)).status).toBe(503);
  await expectHealth('/readyz', 503);
  posted = await listener.post({ id: 'a', entrou: true });
  expect(posted.status).toBe(503);
  expectAsDocumented(responses, posted, POST);
  await database.allowConnections(true);
  await expect.poll(async () => (await listener.post([])).status, { timeout: 10_000 }).toBe(200);
});

test('a message is taken if, and only if, it is one by the document', () => {
  const validate = ajv.getSchema('openapi#/components/schemas/TicketMessage');
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 140 });
  const any = fc.oneof(fc.boolean(), fc.constant(null), fc.nat(9), text, fc.constant([]));
  const field = <T>(good: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: any });
  const fields = {
    id: field(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })),
    isValidTicket: field(fc.boolean()),
    entrou: field(fc.boolean()),
    setor: field(fc.string({ unit: 'grapheme-ascii', maxLength: 34 })),
    gate: field(fc.string({ unit: 'grapheme-ascii', maxLength: 66 })),
    at: field(fc.constantFrom(AT, '2025-03-26T23:15:00Z', '2025-03-26', '2025-02-30T00:00:00Z', 'x')),
  };
  const message = fc.oneof(
    { weight: 5, arbitrary: fc.record(fields, { requiredKeys: ['id'] }) },
    { weight: 1, arbitrary: fc.record({ ...fields, porta: fc.nat() }, { requiredKeys: [] }) },
  );
  let taken = 0;
  fc.assert(
    fc.property(message, (value) => {
      const isTaken = (): boolean => {
        try {
          readTicketMessage(Buffer.from(JSON.stringify(value)), Date.now());
          return true;
        } catch {
          return false;
        }
      };
      const was = isTaken();
      taken += Number(was);
      expect(validate?.(value), JSON.stringify(validate?.errors)).toBe(was);
    }),
    { numRuns: 2_000, seed: 20_250_326 },
  );
  expect(taken).toBeGreaterThan(100);
});
