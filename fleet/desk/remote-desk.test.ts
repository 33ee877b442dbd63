import { performance } from 'node:perf_hooks';
import { deflateSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { RELAY_STALE_MS } from '../../domain/freshness.ts';
import { MINUTE_MS, type Minute } from '../../desk/model/series/minute.ts';
import { chain, occurrence } from '../../testing/desk/log-rows.ts';
import { createSmallDesk, DESK_NOW_MS, minuteOf, type SmallDesk } from '../../testing/desk/small-desk.ts';
import { until } from '../../testing/until.ts';
import { DeskUnavailableError } from '../../desk/flow/desk.ts';
import { answerDesk } from './answer-desk.ts';
import type { CountedPrimary } from '../relay/followed-event.ts';
import type { KnownCounters } from './chosen-counter.ts';
import type { DeskLine } from './desk-line.ts';
import { decodeAnswer, decodeDesk, encodeDesk, MAX_ANSWER_BYTES } from './desk-wire.ts';
import { RemoteDesk } from './remote-desk.ts';

afterEach(() => void vi.restoreAllMocks());

const EVENT_ID = '0123456789abcdef0123456789abcdef';
const CODES = ['4', '5', ''];
const COMMAND = { id: '6f1c2c1e-5d0f-4c43-9d5e-3a3a6f1f2b11', kind: 'entry-closed' } as const;

/** Counters by name; one that is not among `alive` does not answer. */
interface Fleet extends DeskLine {
  readonly alive: Set<string>;
  readonly asked: string[];
}

function fleetOf(
  counters: Readonly<Record<string, SmallDesk>>,
  verifiedAtMs: () => number = () => performance.now(),
): Fleet {
  const alive = new Set(Object.keys(counters));
  const asked: string[] = [];
  const answer = async (name: string, question: Uint8Array): Promise<Uint8Array> => {
    const desk = counters[name];
    if (!desk || !alive.has(name)) throw new DeskUnavailableError(`${name} does not answer`);
    asked.push(`${name} ${String(decodeDesk(question)['ask'])}`);
    const bytes = await answerDesk(desk, question, verifiedAtMs);
    expect(bytes.length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    return bytes;
  };
  return {
    alive,
    asked,
    turn: async () => {},
    ask: (name, question) => answer(name, question),
    async askAll(question) {
      const all = [...alive].map(async (name) => [name, await answer(name, question)] as const);
      return new Map(await Promise.all(all));
    },
  };
}

function open(
  line: DeskLine,
  sectors: readonly string[] = CODES,
  primaryOf: KnownCounters['primaryOf'] = () => 'current',
  current: KnownCounters['current'] = () => undefined,
  earliestMs: KnownCounters['earliestMs'] = (_counter, counterMs) => counterMs,
): RemoteDesk {
  const counters = { primaryOf, current, earliestMs };
  return new RemoteDesk({ eventId: EVENT_ID, sectors, source: 'live', line, counters });
}

const standby = (): SmallDesk =>
  Object.assign(createSmallDesk(EVENT_ID, CODES), { record: { kind: 'standby' } });

test('it returns what the desk of the counter returns', async () => {
  const desk = createSmallDesk(EVENT_ID, CODES);
  for (let index = -90; index < 0; index += 1) desk.closeMinute(minuteOf(index, [index + 90, 1, 2]));
  desk.rows.push(...chain(EVENT_ID, [occurrence('one', 'fila'), occurrence('two', 'chuva')]));
  desk.usualCurves.set(1, { matches: 5, fromMin: -90, shares: [0, 0.5, 1] });
  const remote = open(fleetOf({ a: desk }));
  const nowMs = expect.any(Number);
  expect(await remote.state()).toEqual({ ...desk.state(), nowMs });
  const fromMs = DESK_NOW_MS - 90 * MINUTE_MS;
  expect(await remote.minutes(fromMs, DESK_NOW_MS)).toEqual(await desk.minutes(fromMs, DESK_NOW_MS));
  expect(await remote.minutes(fromMs, DESK_NOW_MS)).not.toHaveLength(0);
  const endMs = minuteOf(-10, []).minuteMs;
  expect(await remote.stateAt(endMs)).toEqual(await desk.stateAt(endMs));
  expect(await remote.stateAt(DESK_NOW_MS + 60 * MINUTE_MS)).toBeUndefined();
  expect(await remote.log(0)).toEqual(desk.rows);
  expect(await remote.log(1)).toEqual(desk.rows.slice(1));
  expect(await remote.log(0, 1)).toEqual(desk.rows.slice(0, 1));
  expect(await remote.usualCurve(1)).toEqual({ matches: 5, fromMin: -90, shares: [0, 0.5, 1] });
  expect(await remote.usualCurve()).toBeNull();
});

test('a state comes compressed, and one that is not is read as well', async () => {
  const codes = [...Array.from({ length: 13 }, (_, index) => String(index)), ''];
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, codes) });
  const sizes: number[] = [];
  const ask: DeskLine['ask'] = async (...question) => {
    const answer = await line.ask(...question);
    sizes.push(answer.length);
    return answer;
  };
  const state = await open({ ...line, ask }, codes).state();
  const plain = encodeDesk({ said: state });
  expect(sizes).toHaveLength(1);
  expect(sizes[0]).toBeLessThan(plain.length / 2);
  expect(await open({ ...line, ask: async () => plain }, codes).state()).toEqual(state);
});

test('an answer that is cut off, or larger uncompressed than any, is none', async () => {
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, CODES) });
  const answers = [
    deflateSync(new Uint8Array(100_000)).subarray(0, 50),
    deflateSync(Buffer.alloc(1_000_000, '{')),
  ];
  for (const answer of answers)
    await expect(open({ ...line, ask: async () => answer }).log(0)).rejects.toThrow(
      "a counter's answer cannot be read",
    );
});

test('a log that is larger than a message comes whole', async () => {
  const desk = createSmallDesk(EVENT_ID, CODES);
  const text = 'ã'.repeat(500);
  desk.rows.push(
    ...chain(
      EVENT_ID,
      Array.from({ length: 3_000 }, (_, at) => occurrence(`id ${at}`, text)),
    ),
  );
  const remote = open(fleetOf({ a: desk }));
  expect(await remote.log(0)).toEqual(desk.rows);
  expect(await remote.log(100, 2_500)).toEqual(desk.rows.slice(100, 2_600));
});

test('each minute is passed on once and in order, also those that became known together', async () => {
  const desk = createSmallDesk(EVENT_ID, CODES);
  desk.closeMinute(minuteOf(0, [1, 1, 1]));
  const remote = open(fleetOf({ a: desk }));
  const minutes: Minute[] = [];
  remote.onMinute((minute) => minutes.push(minute));
  await remote.state();
  desk.closeMinute(minuteOf(1, [2, 2, 2]));
  desk.closeMinute(minuteOf(2, [3, 3, 3]));
  await remote.state();
  desk.closeMinute(minuteOf(3, [4, 4, 4]));
  await remote.state();
  await remote.state();
  await until(() => expect(minutes).toHaveLength(3));
  expect(minutes).toEqual([1, 2, 3].map((index) => minuteOf(index, [index + 1, index + 1, index + 1])));
});

test('the counter that writes is asked, and another one when it is gone', async () => {
  const line = fleetOf({ a: standby(), b: createSmallDesk(EVENT_ID, CODES), c: standby() });
  const remote = open(line);
  await remote.state();
  expect(line.asked.at(-1)).toBe('b state');
  line.alive.delete('b');
  await remote.state();
  expect(line.asked.at(-1)).toBe('a state');
});

test('while no counter writes, the chosen one is asked on until another one is chosen', async () => {
  const a = standby();
  const line = fleetOf({ a });
  let release: (() => void) | undefined;
  let isHeld = false;
  const remote = open({
    ...line,
    async askAll(question) {
      const answers = await line.askAll(question);
      if (isHeld) await new Promise<void>((resolve) => (release = resolve));
      return answers;
    },
  });
  await remote.state();
  isHeld = true;
  vi.spyOn(performance, 'now').mockImplementation(
    (
      (start) => () =>
        start + 3_000
    )(performance.now()),
  );
  await remote.state();
  await until(() => expect(release).toBeDefined());
  expect((await remote.state()).source).toEqual({ live: true });
  line.alive.clear();
  isHeld = false;
  release?.();
  line.alive.add('a');
  expect((await remote.state()).source).toEqual({ live: true });
  expect(line.asked.filter((asked) => asked === 'a who')).toHaveLength(2);
});

test('a counter of a former primary is not asked: while there is no other, the last state is returned with its source not live', async () => {
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, CODES), b: standby() });
  let former: readonly string[] = [];
  const remote = open(line, CODES, (name) => (former.includes(name) ? 'former' : 'current'));
  await remote.state();
  expect(line.asked.at(-1)).toBe('a state');
  former = ['a'];
  await remote.state();
  expect(line.asked.at(-1)).toBe('b state');
  former = ['a', 'b'];
  expect((await remote.state()).source).toMatchObject({ live: false, reason: 'connecting' });
  await expect(remote.log(0)).rejects.toThrow(/the counter a cannot be asked: it counts a former primary/);
  await expect(remote.command(COMMAND, 'Ana')).rejects.toThrow(DeskUnavailableError);
  expect(line.asked.filter((asked) => !asked.endsWith(' who'))).toEqual(['a state', 'b state']);
  former = ['b'];
  expect((await remote.state()).source).toEqual({ live: true });
});

test('after a promotion the counter whose counts are displayed is asked at once, and then which one writes', async () => {
  const line = fleetOf({
    a: createSmallDesk(EVENT_ID, CODES),
    b: standby(),
    c: createSmallDesk(EVENT_ID, CODES),
  });
  let former: readonly string[] = [];
  const remote = open(
    line,
    CODES,
    (name) => (former.includes(name) ? 'former' : 'current'),
    () => 'b',
  );
  await remote.state();
  line.asked.length = 0;
  former = ['a'];
  const laterMs = performance.now() + 3_000;
  vi.spyOn(performance, 'now').mockReturnValue(laterMs);
  expect((await remote.state()).record.state.kind).toBe('standby');
  expect(line.asked[0]).toBe('b state');
  await until(async () => expect((await remote.state()).record.state.kind).toBe('writer'));
  expect(line.asked.at(-1)).toBe('c state');
});

test('a counter whose source is live is asked once it is known which primary it counts', async () => {
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, CODES) });
  let primary: CountedPrimary = 'unknown';
  const remote = open(line, CODES, () => primary);
  await expect(remote.state()).rejects.toThrow(/it is not known yet which primary it counts/);
  primary = 'current';
  expect((await remote.state()).source).toEqual({ live: true });
});

test('while counters count several primaries of one timeline, a desk is not live, and takes no command', async () => {
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, CODES), b: standby() });
  let primary: CountedPrimary = 'current';
  const remote = open(line, CODES, () => primary);
  expect((await remote.state()).source).toEqual({ live: true });
  primary = 'twin';
  expect((await remote.state()).source).toMatchObject({ live: false });
  await expect(remote.command(COMMAND, 'Ana')).rejects.toThrow(/it counts one of several primaries/);
  await expect(open(line, CODES, () => primary).state()).rejects.toThrow(DeskUnavailableError);
  primary = 'current';
  expect((await remote.state()).source).toEqual({ live: true });
});

test('without a counter the last state is returned with its source not live', async () => {
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, CODES) });
  const remote = open(line);
  const { total } = await remote.state();
  line.alive.clear();
  const source = { live: false, ageMs: expect.any(Number), reason: 'connecting' };
  expect(await remote.state()).toMatchObject({ total, source });
  await expect(remote.log(0)).rejects.toThrow(DeskUnavailableError);
  await expect(open(line).state()).rejects.toThrow('no counter answers');
  line.alive.add('a');
  expect((await remote.state()).source).toEqual({ live: true });
});

test('a state whose counts are older than an edge passes on has a source that is not live', async () => {
  const nowMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  let verifiedMs = nowMs - RELAY_STALE_MS;
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, CODES) }, () => verifiedMs);
  const remote = open(line);
  expect((await remote.state()).source).toEqual({ live: true });
  verifiedMs -= 1_000;
  const ageMs = RELAY_STALE_MS + 1_000;
  expect((await remote.state()).source).toEqual({ live: false, ageMs, reason: 'lag' });
  line.alive.clear();
  expect((await remote.state()).source).toEqual({ live: false, ageMs, reason: 'connecting' });
});

test.each<[string, KnownCounters['earliestMs']]>([
  ['is not known', () => undefined],
  ['is ahead of this one', (_counter, counterMs) => counterMs + 1_000_000],
])('where the clock of a counter %s, its counts are as old as the question', async (_what, earliestMs) => {
  let nowMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  let underWayMs = RELAY_STALE_MS;
  const line = fleetOf({ a: createSmallDesk(EVENT_ID, CODES) });
  const ask: DeskLine['ask'] = async (...question) => {
    const answer = await line.ask(...question);
    nowMs += underWayMs;
    return answer;
  };
  const remote = open(
    { ...line, ask },
    CODES,
    () => 'current',
    () => undefined,
    earliestMs,
  );
  expect((await remote.state()).source).toEqual({ live: true });
  underWayMs += 1;
  expect((await remote.state()).source).toMatchObject({ live: false, reason: 'lag' });
});

test('an answer that comes after that to a later question does not become the last state', async () => {
  const desk = createSmallDesk(EVENT_ID, CODES);
  const line = fleetOf({ a: desk });
  let release: (() => void) | undefined;
  const holdsFirst: DeskLine = {
    ...line,
    async ask(...question) {
      const answer = await line.ask(...question);
      if (!release) await new Promise<void>((resolve) => (release = resolve));
      return answer;
    },
  };
  const remote = open(holdsFirst);
  const first = remote.state();
  await until(() => expect(release).toBeDefined());
  desk.closeMinute(minuteOf(-1, [1, 0, 0]));
  const { lastMinuteMs } = await remote.state();
  release?.();
  expect((await first).lastMinuteMs).not.toBe(lastMinuteMs);
  line.alive.clear();
  expect((await remote.state()).lastMinuteMs).toBe(lastMinuteMs);
});

test('a command goes to the counter that writes, whichever was asked last', async () => {
  const [a, b] = [standby(), createSmallDesk(EVENT_ID, CODES)];
  const line = fleetOf({ a, b });
  const remote = open(line);
  expect(await remote.command(COMMAND, 'Ana')).toMatchObject({ id: COMMAND.id, by: 'Ana', seq: 1 });
  // The other counter takes over.
  b.record = { kind: 'standby' };
  a.record = { kind: 'writer' };
  a.rows.push(...b.rows);
  const evacuation = { ...COMMAND, id: '7f1c2c1e-5d0f-4c43-9d5e-3a3a6f1f2b11', kind: 'evacuation' } as const;
  expect(await remote.command(evacuation, 'Ana')).toMatchObject({ id: evacuation.id, seq: 2 });
  await expect(remote.command({ ...COMMAND, id: evacuation.id }, 'Ana')).rejects.toMatchObject({
    name: 'CommandRefused',
    reason: 'id-in-use',
  });
  a.record = { kind: 'away', reason: 'the disk is full' };
  const late = { ...COMMAND, id: '8f1c2c1e-5d0f-4c43-9d5e-3a3a6f1f2b11' };
  await expect(remote.command(late, 'Ana')).rejects.toMatchObject({ name: 'RecordUnavailableError' });
});

test('what a command has seen stands beside it, where counters of a former version pass over it', async () => {
  const counter = createSmallDesk(EVENT_ID, CODES);
  const fleet = fleetOf({ counter });
  const questions: Record<string, unknown>[] = [];
  const remote = open({
    ...fleet,
    ask(name, question, limitMs) {
      questions.push(decodeDesk(question));
      return fleet.ask(name, question, limitMs);
    },
  });
  const again = { ...COMMAND, id: '7f1c2c1e-5d0f-4c43-9d5e-3a3a6f1f2b11' };
  await remote.command(COMMAND, 'Ana');
  await remote.command(
    { id: '8f1c2c1e-5d0f-4c43-9d5e-3a3a6f1f2b11', kind: 'take-back', entryId: COMMAND.id },
    'Ana',
  );
  await expect(remote.command({ ...again, seenSeq: 1 }, 'Bia')).rejects.toMatchObject({ reason: 'ended' });
  expect(questions.at(-1)).toMatchObject({ ask: 'command', command: again, seenSeq: 1 });
  expect(questions.at(-1)?.['command']).not.toHaveProperty('seenSeq');
});

test('counters that have another venue are refused', async () => {
  const remote = open(fleetOf({ a: createSmallDesk(EVENT_ID, CODES) }), ['4', '6', '']);
  await expect(remote.state()).rejects.toThrow('give counters and edges the same');
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ['no JSON', encode('{')],
  ['no object', encode('1')],
  ['another wire', encode('{"wire":2,"ask":"state"}')],
  ['an unknown question', encode('{"wire":1,"ask":"__proto__"}')],
  ['a place that is none', encodeDesk({ ask: 'usual', sector: 3 })],
  ['a time that is none', encode('{"wire":1,"ask":"minutes","fromMs":"0","toMs":1}')],
  ['a command of no kind', encode('{"wire":1,"ask":"command","by":"Ana","command":{"kind":"x"}}')],
  [
    'a name that cannot be shown',
    encodeDesk({ ask: 'command', command: COMMAND, by: 'A\nB', untilMs: undefined }),
  ],
  ['a megabyte', new Uint8Array(1_000_000)],
])('%s is answered, and nothing is done', async (_name, question) => {
  const desk = createSmallDesk(EVENT_ID, CODES);
  expect(decodeAnswer(await answerDesk(desk, question, () => 0))).toEqual({
    wire: 1,
    unavailable: expect.any(String),
  });
  expect(desk.rows).toEqual([]);
});
