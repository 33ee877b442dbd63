import { expect, test } from 'vitest';
import { isNodeName, Subjects } from './subjects.ts';

const EVENT_ID = 'e'.repeat(32);
const subjects = new Subjects('main');

test('a subject names counter, event and slice', () => {
  const address = { counter: 'c1', eventId: EVENT_ID, slice: 'documents' } as const;
  expect(subjects.state(address)).toBe(`triagem.main.state.c1.${EVENT_ID}.documents`);
  expect(subjects.parseState(subjects.state(address))).toEqual(address);
  for (const other of [
    `triagem.other.state.c1.${EVENT_ID}.counts`,
    `triagem.main.state.c1.${EVENT_ID}.desk`,
    `triagem.main.state.c1.${EVENT_ID}.counts.more`,
    'triagem.main.state.c1.short.counts',
    `triagem.main.state..${EVENT_ID}.counts`,
    `triagem.main.ask.c1.${EVENT_ID}.counts`,
  ]) {
    expect(subjects.parseState(other)).toBeUndefined();
  }
});

test('an event of any ID is one token of every subject', () => {
  const eventId = 'Final 2026 · A × B.*>';
  const address = { counter: 'c1', eventId, slice: 'counts' } as const;
  const token = `id-${Buffer.from(eventId).toString('base64url')}`;
  expect(subjects.state(address)).toBe(`triagem.main.state.c1.${token}.counts`);
  expect(subjects.statesOf(eventId)).toBe(`triagem.main.state.*.${token}.*`);
  expect(subjects.parseState(subjects.state(address))).toEqual(address);
  expect(subjects.parseAsk(subjects.askState('e1', eventId))).toEqual({
    edge: 'e1',
    about: 'state',
    eventId,
  });
  for (const counter of [undefined, 'c1'])
    expect(subjects.parseDeskAsk(subjects.askDesk('e1', eventId, counter))).toEqual({
      edge: 'e1',
      eventId,
      counter,
    });
});

test('a question names its edge', () => {
  expect(subjects.parseAsk(subjects.askFreshness('e1'))).toEqual({ edge: 'e1', about: 'freshness' });
  expect(subjects.parseAsk(subjects.askState('e1', EVENT_ID))).toEqual({
    edge: 'e1',
    about: 'state',
    eventId: EVENT_ID,
  });
  for (const other of ['freshness.more', 'state', 'state.short', `desk.${EVENT_ID}.minutes`, 'else']) {
    expect(subjects.parseAsk(`triagem.main.ask.e1.${other}`)).toBeUndefined();
  }
});

test('a node name is one token of a subject', () => {
  for (const name of ['c1', 'counter_A-2', 'x'.repeat(40)]) expect(isNodeName(name)).toBe(true);
  for (const name of ['', 'a.b', 'a*', '>', 'a b', 'ç', 'x'.repeat(41)]) expect(isNodeName(name)).toBe(false);
});
