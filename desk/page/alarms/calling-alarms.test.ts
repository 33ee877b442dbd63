import { expect, test } from 'vitest';
import { ALARM_RULES } from '../../model/alarms/rules.ts';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { inOrder, isCalling } from './calling-alarms.ts';

const KNOWN = { atMs: VIEW_NOW_MS, by: 'Ana', note: null };

test('the most urgent alarm stands first, whatever came last', () => {
  const alarms = ALARM_RULES.map((rule, place) => alarmOf(rule, { sinceMs: VIEW_NOW_MS - place }));
  const rules = inOrder(alarmView({ alarms }).state).map(({ rule }) => rule);
  expect(rules[0]).toBe('above-capacity');
  expect(rules.slice(1, 3).toSorted()).toEqual(['no-data', 'several-stopped']);
  expect(rules.at(-1)).toBe('near-capacity');
});

test('a sector in which more are in than permitted stands first, although its rule says less for some seconds', () => {
  const alarms = [
    alarmOf('stopped', { id: 'stopped', sector: '4' }),
    alarmOf('at-capacity', { id: 'above', sector: '7' }),
  ];
  const view = alarmView({ alarms });
  expect(inOrder(view.state).map(({ id }) => id)).toEqual(['stopped', 'above']);
  const rows = view.state.rows.map((row) => ({ ...row, admitted: (row.capacity ?? 0) + 1 }));
  expect(inOrder({ ...view.state, rows }).map(({ id }) => id)).toEqual(['above', 'stopped']);
});

test('a sector where nobody else fits stands before those that have room, and before one that has stopped', () => {
  const alarms = [
    alarmOf('at-capacity', { id: 'room', sector: '4', sinceMs: 3 }),
    alarmOf('stopped', { id: 'stopped', sector: '4', sinceMs: 2 }),
    alarmOf('at-capacity', { id: 'full', sector: '7', sinceMs: 1 }),
  ];
  const { state } = alarmView({ alarms });
  const rows = state.rows.map((row) =>
    row.code === '7' ? { ...row, capacity: row.admitted } : { ...row, capacity: row.admitted + 3 },
  );
  expect(inOrder({ ...state, rows }).map(({ id }) => id)).toEqual(['full', 'room', 'stopped']);
});

test('among equals the newest call stands first; a call again is a new one', () => {
  const alarms = [
    alarmOf('stopped', { id: 'old', sinceMs: 1 }),
    alarmOf('stopped', { id: 'new', sinceMs: 2 }),
    alarmOf('stopped', { id: 'again', sinceMs: 0, againAtMs: 3 }),
  ];
  expect(inOrder(alarmView({ alarms }).state).map(({ id }) => id)).toEqual(['again', 'new', 'old']);
});

test('active alarms stand before ended and suspended ones, even if acknowledged', () => {
  const suspension = { id: 's', sinceMs: 0, untilMs: VIEW_NOW_MS + 1, reason: 'obra', by: 'Ana' };
  const suspensions = [{ ...suspension, rule: 'stopped', sector: '4' } as const];
  const alarms = [
    alarmOf('stopped', { id: 'suspended', sector: '4', acknowledged: KNOWN }),
    alarmOf('above-capacity', { id: 'over', returnedAtMs: VIEW_NOW_MS }),
    alarmOf('near-capacity', { id: 'known', acknowledged: KNOWN }),
    alarmOf('near-capacity', { id: 'open' }),
  ];
  const { state } = alarmView({ alarms, suspensions });
  expect(inOrder(state).map(({ id }) => id)).toEqual(['open', 'known', 'over', 'suspended']);
});

test('an alarm calls until it is acknowledged, even if it is over, but not while suspended', () => {
  const { state } = alarmView();
  expect(isCalling(alarmOf('stopped'), state)).toBe(true);
  expect(isCalling(alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS }), state)).toBe(true);
  expect(isCalling(alarmOf('stopped', { acknowledged: KNOWN }), state)).toBe(false);
  const suspension = { id: 's', sinceMs: 0, untilMs: VIEW_NOW_MS + 1, reason: 'obra', by: 'Ana' };
  const suspended = (sector: string) =>
    alarmView({ suspensions: [{ ...suspension, rule: 'stopped', sector }] }).state;
  expect(isCalling(alarmOf('stopped'), suspended('7'))).toBe(false);
  expect(isCalling(alarmOf('stopped'), suspended('4'))).toBe(true);
});

test('during an evacuation nothing calls', () => {
  const { state } = alarmView({ evacuatedAtMs: VIEW_NOW_MS });
  expect(isCalling(alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS }), state)).toBe(false);
  expect(isCalling(alarmOf('above-capacity'), state)).toBe(false);
});

test('an alarm in hand keeps its position when another operator acknowledges it', () => {
  const alarms = [
    alarmOf('stopped', { id: 'open', sinceMs: 1 }),
    alarmOf('stopped', { id: 'written about', sinceMs: 2, acknowledged: KNOWN }),
  ];
  const { state } = alarmView({ alarms });
  expect(inOrder(state).map(({ id }) => id)).toEqual(['open', 'written about']);
  expect(inOrder(state, new Set(['written about'])).map(({ id }) => id)).toEqual(['written about', 'open']);
});
