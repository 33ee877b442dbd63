import type { AlarmRule } from '../../../desk/model/alarms/alarm.ts';
import { LATE, PEAKS, USUAL, WAITING } from './crowds.ts';
import type { ExpectedAlarm, MatchHistory } from './match-history.ts';

const USUALLY = { opensAt: -60, endsAt: 4, crowd: USUAL, peaks: PEAKS, comes: 0.88 };
/** Up to the end of all rules. */
const WHOLLY = { ...USUALLY, endsAt: 16 };

/** The two entries of a stop that begins, ends and is not acknowledged. */
function stopped(sector: string, from: number, until: number, kind: 'alarm' | 'alarm-again' = 'alarm') {
  const begins: ExpectedAlarm = {
    kind,
    rule: 'stopped',
    sectors: [sector],
    ...(kind === 'alarm-again' ? { why: 'recurred' } : {}),
    since: { lastBefore: from + 1, of: sector },
    after: 'window',
  };
  const ends: ExpectedAlarm = {
    kind: 'alarm-returned',
    rule: 'stopped',
    sectors: [sector],
    why: 'resolved',
    since: { firstAfter: until - 1, of: sector },
    after: [0, 60],
  };
  return [begins, ends] as const;
}

/** Returns the alarm that a sector raises when the number of people in it reaches `admitted`, a level of its capacity. */
function reached(sector: string, rule: AlarmRule, admitted: number): ExpectedAlarm {
  return { kind: 'alarm', rule, sectors: [sector], since: { admitted, of: sector }, after: [0, 20] };
}

/** The next level takes the place of the one before. */
function rose(sector: string, from: AlarmRule, to: AlarmRule, admitted: number): readonly ExpectedAlarm[] {
  const next = reached(sector, to, admitted);
  return [next, { ...next, kind: 'alarm-returned', rule: from, why: 'replaced' }];
}

/**
 * Matches as somebody who has read docs/flow.md, and not the code, plans them; with what that page says of each. Minutes
 * are counted from the kick-off as it was set first.
 */
export const HISTORIES: readonly MatchHistory[] = [
  {
    // "The common rise and fall is no drop, nor the end of a convoy." Today is like the earlier matches.
    what: 'a quiet match, with a train, a lull after it, and coaches for the visitors',
    match: {
      ...WHOLLY,
      waves: [
        { from: -38, until: -33, times: 1.4 },
        { from: -33, until: -28, times: 0.7 },
        { sector: '8', from: -32, until: -24, times: 2.6 },
        { sector: '8', from: -24, until: 16, times: 0.75 },
      ],
      seed: 1,
    },
    hasEarlierMatches: true,
    alarms: [],
    forecasts: [
      { minutesBefore: 45, kickOff: 0, outcome: 'held' },
      { minutesBefore: 30, kickOff: 0, outcome: 'held' },
      { minutesBefore: 15, kickOff: 0, outcome: 'held' },
    ],
  },
  {
    what: 'a quiet match whose crowd comes late',
    match: { ...WHOLLY, crowd: LATE, comes: 0.85, seed: 2 },
    alarms: [],
  },
  {
    // Afterwards the held come at once, and then fewer: no drop.
    what: 'a big gate that stops for eight minutes',
    match: { ...USUALLY, troubles: [{ sector: '4', from: -33, until: -25, lets: 0 }], seed: 3 },
    alarms: stopped('4', -33, -25),
  },
  {
    // 12 a minute: W is two and a half minutes.
    what: 'a small gate that stops for twelve minutes',
    match: {
      ...USUALLY,
      peaks: { ...PEAKS, 13: 20 },
      troubles: [{ sector: '13', from: -30, until: -18, lets: 0 }],
      seed: 4,
    },
    alarms: stopped('13', -30, -18),
  },
  {
    // x falls below e ÷ 2 3.6 min later, at the latest after 5 min; that for a minute. Back: x above ¾ e for two minutes.
    what: 'a gate that lets in only 30%',
    match: {
      ...USUALLY,
      peaks: { ...PEAKS, 7: 80 },
      troubles: [{ sector: '7', from: -30, until: -14, lets: 0.3 }],
      seed: 5,
    },
    alarms: [
      { kind: 'alarm', rule: 'dropped', sectors: ['7'], since: { minute: -30 }, after: [240, 390] },
      {
        kind: 'alarm-returned',
        rule: 'dropped',
        sectors: ['7'],
        why: 'resolved',
        since: { minute: -14 },
        after: [120, 330],
      },
    ],
  },
  {
    // 8 flows at less than 15 a minute: its own window is longer, and it joins.
    what: 'four sectors that stop together for eight minutes',
    match: {
      ...USUALLY,
      peaks: { ...PEAKS, 8: 16 },
      troubles: ['4', '1', '12', '8'].map((sector) => ({ sector, from: -28, until: -20, lets: 0 })),
      seed: 6,
    },
    alarms: [
      ...['4', '1', '12'].flatMap((sector): ExpectedAlarm[] => [
        { ...stopped(sector, -28, -20)[0], isOptional: true },
      ]),
      {
        kind: 'alarm',
        rule: 'several-stopped',
        sectors: ['4', '1', '12'],
        since: { lastBefore: -27, of: '12' },
        after: [110, 150],
      },
      ...['4', '1', '12'].map((sector): ExpectedAlarm => ({
        kind: 'alarm-returned',
        rule: 'stopped',
        sectors: [sector],
        why: 'replaced',
        since: { lastBefore: -27, of: sector },
        after: [110, 150],
        isOptional: true,
      })),
      {
        kind: 'alarm-joined',
        rule: 'several-stopped',
        sectors: ['8'],
        since: { lastBefore: -27, of: '8' },
        after: 'window',
      },
      {
        kind: 'alarm-returned',
        rule: 'several-stopped',
        sectors: ['4', '1', '12', '8'],
        why: 'resolved',
        since: { firstAfter: -21, of: '4' },
        after: [0, 60],
      },
    ],
  },
  {
    // "Turnstiles that read offline look like a stop, until their lot comes."
    what: 'turnstiles that are offline, and then send 400 readings at once',
    match: {
      ...USUALLY,
      peaks: { ...PEAKS, 9: 60 },
      troubles: [{ sector: '9', from: -32, until: -23.5, reads: 'later' }],
      seed: 7,
    },
    alarms: stopped('9', -32, -23.5),
    lots: [{ sector: '9', between: [360, 480] }],
  },
  {
    // The mark silences the sector until it has ended. Forecasts of the rest are not judged, nor is one that was made before.
    what: 'a sector that is marked as let in unread before its readings cease',
    match: {
      ...USUALLY,
      peaks: { ...PEAKS, 8: 40 },
      troubles: [{ sector: '8', from: -36, until: -22, reads: 'never' }],
      seed: 8,
    },
    hasEarlierMatches: true,
    deeds: [
      { at: -40, says: { kind: 'mark', sector: '8', mark: 'unscanned' } },
      { at: -20, ends: 'mark' },
    ],
    alarms: [],
    forecasts: [45, 30, 15].map((minutesBefore) => ({ minutesBefore, kickOff: 0, outcome: 'not judged' })),
  },
  {
    // The alarm comes later than a quarter of an hour after the first kick-off, when there would be none any more.
    what: 'a kick-off that is put off by ten minutes, a stop, and an evacuation',
    match: {
      opensAt: -50,
      endsAt: 26,
      crowd: WAITING,
      peaks: PEAKS,
      comes: 0.7,
      troubles: [
        { sector: '7', from: 13.5, until: 26, lets: 0 },
        ...Object.keys(PEAKS).map((sector) => ({ sector, from: 22, until: 26, lets: 0 })),
      ],
      seed: 9,
    },
    hasEarlierMatches: true,
    deeds: [
      { at: -24, putsKickOffTo: 10 },
      { at: 22, says: { kind: 'evacuation' } },
    ],
    alarms: [
      stopped('7', 13.5, 26)[0],
      {
        kind: 'alarm-returned',
        rule: 'stopped',
        sectors: ['7'],
        why: 'withdrawn',
        // What is said at the desk is known at once, and the boundary that is looked at then is a second or two old.
        since: { deed: 1 },
        after: [-240, 20],
      },
    ],
    forecasts: [
      { minutesBefore: 45, kickOff: 0, outcome: 'judged' },
      { minutesBefore: 30, kickOff: 0, outcome: 'judged' },
      { minutesBefore: 30, kickOff: 10, outcome: 'judged' },
      { minutesBefore: 15, kickOff: 10, outcome: 'judged' },
    ],
  },
  {
    // The alarm outlives the server; five minutes after the acknowledgement it calls again, and it recurs.
    what: 'a server that is killed in the middle of an alarm, which was acknowledged, calls again, and recurs',
    match: {
      ...USUALLY,
      troubles: [
        { sector: '7', from: -44, until: -20, lets: 0 },
        { sector: '7', from: -10, until: -5, lets: 0 },
      ],
      seed: 10,
    },
    deeds: [
      { at: -42, acknowledges: '7' },
      { at: -41, restarts: true },
      { at: 0, acknowledges: '7' },
    ],
    alarms: [
      stopped('7', -44, -20)[0],
      {
        kind: 'alarm-again',
        rule: 'stopped',
        sectors: ['7'],
        why: 'unresolved',
        since: { deed: 0, orBackAfterS: 300 },
        after: [300, 400],
      },
      stopped('7', -44, -20)[1],
      ...stopped('7', -10, -5, 'alarm-again'),
    ],
  },
  {
    // Rain: they wait elsewhere, and come afterwards. The common fall is the ground's alarm alone.
    what: 'a rule that is suspended, a crowd that stays away for ten minutes, a sector that fills up, entry closed',
    match: {
      ...USUALLY,
      endsAt: 12,
      waves: [
        { from: -20, until: -10, times: 0.2 },
        { from: -10, until: 0, times: 1.6 },
        { from: 6, until: 12, times: 0 },
      ],
      troubles: [{ sector: '7', from: -44, until: -32, lets: 0 }],
      seed: 11,
    },
    capacities: { 12: 1_150 },
    deeds: [
      {
        at: -40,
        says: { kind: 'suspend', rule: 'stopped', sector: '7', minutes: 5, reason: 'catracas em teste' },
      },
      { at: 6, says: { kind: 'entry-closed' } },
    ],
    alarms: [
      ...stopped('7', -44, -32),
      { kind: 'alarm', rule: 'ground-dropped', sectors: [], since: { minute: -20 }, after: [150, 300] },
      {
        kind: 'alarm-returned',
        rule: 'ground-dropped',
        sectors: [],
        why: 'resolved',
        since: { minute: -10 },
        after: [0, 420],
      },
      // 85%, 95% and more than 100% of 1,150.
      reached('12', 'near-capacity', 978),
      ...rose('12', 'near-capacity', 'at-capacity', 1_093),
      ...rose('12', 'at-capacity', 'above-capacity', 1_151),
    ],
  },
];
