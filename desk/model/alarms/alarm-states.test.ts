import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryOf } from '../../../testing/desk/match-view.ts';
import type { LogEntry, LogKind } from '../log/flow-log.ts';
import type { Alarm } from './alarm.ts';
import { alarmsAfter, type AlarmStates, NO_ALARMS } from './alarm-states.ts';

type DataOf<K extends LogKind> = Extract<LogEntry, { kind: K }>['data'];

/** A second after the one before. */
function entry<K extends LogKind>(place: number, id: string, kind: K, data: DataOf<K>): LogEntry {
  return entryOf(kind, data as never, { id, atMs: place * 1_000, sector: '7' });
}

const RAISED = {
  rule: 'stopped',
  figures: { silentSinceMs: 0, windowMs: 120_000, before: 40, admitted: 100, valid: 1_000 },
} as const;

/** What can happen to one alarm. */
const STEPS = {
  raise: (place: number) => entry(place, 'a', 'alarm', RAISED),
  resolve: (place: number) => entry(place, `r${place}`, 'alarm-returned', { alarm: 'a', why: 'resolved' }),
  withdraw: (place: number) => entry(place, `w${place}`, 'alarm-returned', { alarm: 'a', why: 'withdrawn' }),
  replace: (place: number) => entry(place, `p${place}`, 'alarm-returned', { alarm: 'a', why: 'replaced' }),
  again: (place: number) => entry(place, `g${place}`, 'alarm-again', { alarm: 'a', why: 'unresolved' }),
  acknowledge: (place: number) => entry(place, `k${place}`, 'acknowledge', { alarm: 'a', note: null }),
  mark: (place: number) => entry(place, `m${place}`, 'mark', { mark: 'unscanned', alarm: 'a' }),
  markOther: (place: number) => entry(place, `o${place}`, 'mark', { mark: 'unscanned' }),
  say: (place: number) => entry(place, `s${place}`, 'occurrence', { text: 'chuva' }),
};
type Step = keyof typeof STEPS;

type StateName = 'none' | 'active' | 'active, acknowledged' | 'returned';

/** The drawing in alarm-states.ts, as a table; what is not in it changes nothing. */
const TRANSITIONS: Readonly<Record<StateName, Partial<Record<Step, StateName>>>> = {
  none: { raise: 'active' },
  active: {
    resolve: 'returned',
    withdraw: 'returned',
    replace: 'none',
    acknowledge: 'active, acknowledged',
    mark: 'active, acknowledged',
  },
  'active, acknowledged': { resolve: 'none', withdraw: 'none', replace: 'none', again: 'active' },
  returned: { replace: 'none', again: 'active', acknowledge: 'none', mark: 'none' },
};

function nameOf(alarm: Alarm | undefined): StateName {
  if (!alarm) return 'none';
  if (alarm.returnedAtMs !== null) return 'returned';
  return alarm.acknowledged ? 'active, acknowledged' : 'active';
}

const anySteps = fc.array(fc.constantFrom(...(Object.keys(STEPS) as Step[])), { maxLength: 40 });

describe('an alarm', () => {
  test('goes through the states as they are drawn, in whatever order things happen', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        let states: AlarmStates = NO_ALARMS;
        let expected: StateName = 'none';
        for (const [place, step] of steps.entries()) {
          states = alarmsAfter(states, STEPS[step](place));
          expected = TRANSITIONS[expected][step] ?? expected;
          expect(nameOf(states.open.get('a'))).toBe(expected);
        }
      }),
    );
  });

  test('does not change when an entry is passed on twice, as after a restart', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const log = steps.map((step, place) => STEPS[step](place));
        let states: AlarmStates = NO_ALARMS;
        for (const each of log) {
          states = alarmsAfter(states, each);
          // A record tells no entry again once the next one is there.
          if (each.kind === 'alarm' || each.kind === 'acknowledge') continue;
          expect(alarmsAfter(states, each)).toEqual(states);
        }
      }),
    );
  });

  test('holds who acknowledged it, when and with which words, until it asks again', () => {
    const said = entry(2, 'k', 'acknowledge', { alarm: 'a', note: 'equipe a caminho' });
    const known = [STEPS.raise(1), said].reduce(alarmsAfter, NO_ALARMS);
    expect(known.open.get('a')).toEqual({
      ...RAISED,
      id: 'a',
      sector: '7',
      sinceMs: 1_000,
      figuresAtMs: 1_000,
      returnedAtMs: null,
      acknowledged: { atMs: 2_000, by: 'Ana', note: 'equipe a caminho' },
      againAtMs: null,
    });
    const again = alarmsAfter(known, STEPS.again(3)).open.get('a');
    expect(again).toMatchObject({ acknowledged: null, againAtMs: 3_000, sinceMs: 1_000, figuresAtMs: 1_000 });
  });

  test('that came back has the figures with which it did', () => {
    const figures = { ...RAISED.figures, before: 12, silentSinceMs: 5_000 };
    const recurred = entry(3, 'g', 'alarm-again', { alarm: 'a', why: 'recurred', figures });
    const { open } = [STEPS.raise(1), STEPS.resolve(2), recurred].reduce(alarmsAfter, NO_ALARMS);
    expect(open.get('a')).toMatchObject({ figures, sinceMs: 1_000, figuresAtMs: 3_000, returnedAtMs: null });
  });

  test('of several sectors names those that join it, once each', () => {
    const stop = (sector: string) => ({ sector, silentSinceMs: 0, before: 40 });
    const figures = { sectors: [stop('1'), stop('2'), stop('3')] };
    const log = [
      entry(1, 'a', 'alarm', { rule: 'several-stopped', figures }),
      entry(2, 'j', 'alarm-joined', { alarm: 'a', sectors: [stop('4'), stop('1')] }),
      entry(3, 'r', 'alarm-returned', { alarm: 'a', why: 'resolved' }),
    ];
    const { open, stopOverAtMs } = log.reduce(alarmsAfter, NO_ALARMS);
    expect(open.get('a')?.figures).toEqual({ sectors: ['1', '2', '3', '4'].map(stop) });
    expect([...stopOverAtMs]).toEqual(['1', '2', '3', '4'].map((sector) => [sector, 3_000]));
  });
});
