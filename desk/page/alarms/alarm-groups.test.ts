import { expect, test } from 'vitest';
import type { Alarm } from '../../model/alarms/alarm.ts';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { groupAlarms, isGroup } from './alarm-groups.ts';

const KNOWN = { atMs: VIEW_NOW_MS, by: 'Ana', note: null };
const { state } = alarmView();

function filling(ids: string, alarm: Parameters<typeof alarmOf>[1] = {}): readonly Alarm[] {
  return Array.from(ids).map((id) => alarmOf('near-capacity', { id, sector: id, ...alarm }));
}

function shown(alarms: readonly Alarm[], apart: readonly string[] = []): readonly string[] {
  return groupAlarms(alarms, state, new Set(apart)).map((each) =>
    isGroup(each) ? each.alarms.map(({ id }) => id).join('') : each.id,
  );
}

test('three filling sectors share a card at the position of the first; two do not', () => {
  const stop = alarmOf('stopped', { id: 'stop' });
  const [a, b, c] = filling('abc');
  if (!a || !b || !c) throw new Error('three alarms');
  expect(shown([stop, a, b, c])).toEqual(['stop', 'abc']);
  expect(shown([a, stop, b, c])).toEqual(['abc', 'stop']);
  expect(shown([a, b])).toEqual(['a', 'b']);
});

test('calling and acknowledged alarms have separate cards, and so have the two levels', () => {
  const limit = ['x', 'y', 'z'].map((id) => alarmOf('at-capacity', { id, sector: id }));
  expect(shown([...limit, ...filling('abc'), ...filling('def', { acknowledged: KNOWN })])).toEqual([
    'xyz',
    'abc',
    'def',
  ]);
  const [group] = groupAlarms(filling('def', { acknowledged: KNOWN }), state, new Set());
  expect(group).toMatchObject({ rule: 'near-capacity', calls: false });
});

test('other alarms of a sector, and those of the ground, have their own cards', () => {
  expect(shown([...filling('ab'), ...filling('c', { sector: null })])).toEqual(['a', 'b', 'c']);
  expect(shown([...filling('ab'), ...filling('c', { returnedAtMs: VIEW_NOW_MS })])).toEqual(['a', 'b', 'c']);
  expect(shown(['a', 'b', 'c'].map((id) => alarmOf('above-capacity', { id, sector: id })))).toEqual([
    'a',
    'b',
    'c',
  ]);
});

test('what somebody has written about an alarm keeps its card', () => {
  const noted = { ...KNOWN, note: 'equipe enviada: João' };
  expect(
    shown([...filling('ab', { acknowledged: noted }), ...filling('cde', { acknowledged: KNOWN })]),
  ).toEqual(['a', 'b', 'cde']);
});

test('an alarm in hand keeps its card', () => {
  expect(shown(filling('abcd'), ['b'])).toEqual(['acd', 'b']);
  expect(shown(filling('abc'), ['b'])).toEqual(['a', 'b', 'c']);
});

test.each([null, KNOWN])('a suspended alarm joins no group, acknowledged: %o', (acknowledged) => {
  const suspension = {
    rule: 'near-capacity',
    sector: 'a',
    id: 's',
    sinceMs: 0,
    untilMs: VIEW_NOW_MS + 1,
    reason: 'obra',
    by: 'Ana',
  } as const;
  const suspended = alarmView({ suspensions: [suspension] }).state;
  const cards = groupAlarms(filling('abcd', { acknowledged }), suspended, new Set());
  expect(cards.map((each) => (isGroup(each) ? each.alarms.length : each.id))).toEqual(['a', 3]);
});
