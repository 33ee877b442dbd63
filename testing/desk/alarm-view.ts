import type { Alarm, AlarmNotice } from '../../desk/model/alarms/alarm.ts';
import type { DeskState } from '../../desk/model/desk-state.ts';
import type { LogEntry, LogRow } from '../../desk/model/log/flow-log.ts';
import type { DeskView } from '../../desk/page/desk-view.ts';
import { chain, occurrence } from './log-rows.ts';

/** 18:36:10 in São Paulo. */
export const VIEW_NOW_MS = Date.UTC(2026, 10, 22, 21, 36, 10);

const NO_FIGURES = {
  admitted: 0,
  valid: 4_000,
  capacity: null,
  lastMinute: null,
  lastFive: null,
  bestFive: null,
  lastEntryAtMs: null,
  incompleteSinceMs: null,
};

/** The view of a desk at VIEW_NOW_MS, with two sectors that people enter. */
export function alarmView(state: Partial<DeskState> = {}, view: Partial<DeskView> = {}): DeskView {
  return {
    state: {
      eventId: 'e'.repeat(32),
      timeZone: 'America/Sao_Paulo',
      nowMs: VIEW_NOW_MS,
      source: { live: true },
      times: {
        gatesOpenAtMs: VIEW_NOW_MS - 96 * 60_000 - 10_000,
        kickOffAtMs: VIEW_NOW_MS + 24 * 60_000 - 10_000,
        isKickOffOfDesk: false,
      },
      total: { ...NO_FIGURES, admitted: 20_314, valid: 40_112, capacity: 43_680 },
      rows: [
        { code: '7', state: 'flowing', ...NO_FIGURES, admitted: 5_206, capacity: 5_480, lastFive: 36.2 },
        { code: '4', state: 'flowing', ...NO_FIGURES },
        { code: '', state: 'quiet', ...NO_FIGURES },
      ],
      marks: [],
      entryClosedAtMs: null,
      evacuatedAtMs: null,
      watch: { atMs: VIEW_NOW_MS, waits: null },
      alarms: [],
      suspensions: [],
      forecast: { kind: 'none', why: 'no-data' },
      trackRecord: [],
      lastMinuteMs: null,
      lastSeq: 0,
      record: { state: { kind: 'writer' }, isKept: true, minutesWaiting: 0 },
      ...state,
    },
    minutes: [],
    log: [],
    sectors: [
      { code: '7', name: 'SUL DORIL', stand: 'SUL' },
      { code: '4', name: 'NORTE', stand: 'NORTE' },
    ],
    status: { kind: 'live' },
    replay: null,
    ...view,
  };
}

const NOTICES: { readonly [R in Alarm['rule']]: AlarmNotice & { readonly rule: R } } = {
  stopped: {
    rule: 'stopped',
    figures: {
      silentSinceMs: VIEW_NOW_MS - 180_000,
      windowMs: 120_000,
      before: 38,
      admitted: 2_296,
      valid: 4_100,
    },
  },
  dropped: {
    rule: 'dropped',
    figures: { entered: 170, expected: 390, windowMs: 300_000, before: 75, share: 0.1 },
  },
  'ground-dropped': {
    rule: 'ground-dropped',
    figures: { entered: 300, expected: 900, windowMs: 180_000, before: 300, share: null },
  },
  'several-stopped': {
    rule: 'several-stopped',
    figures: {
      sectors: ['7', '4', ''].map((sector) => ({ sector, silentSinceMs: VIEW_NOW_MS - 180_000, before: 38 })),
    },
  },
  'no-data': { rule: 'no-data', figures: { staleMs: 30_000 } },
  'near-capacity': { rule: 'near-capacity', figures: { admitted: 4_700, capacity: 5_480 } },
  'at-capacity': { rule: 'at-capacity', figures: { admitted: 5_206, capacity: 5_480 } },
  'above-capacity': { rule: 'above-capacity', figures: { admitted: 5_481, capacity: 5_480 } },
};

const OF_GROUND: ReadonlySet<string> = new Set(['several-stopped', 'no-data', 'ground-dropped']);

/** An unacknowledged alarm of this rule, raised a minute before VIEW_NOW_MS; rules of a sector concern SUL DORIL. */
export function alarmOf(rule: Alarm['rule'], alarm: Partial<Omit<Alarm, 'rule' | 'figures'>> = {}): Alarm {
  return {
    ...NOTICES[rule],
    id: `alarm:${rule}`,
    sector: OF_GROUND.has(rule) ? null : '7',
    sinceMs: VIEW_NOW_MS - 60_000,
    returnedAtMs: null,
    acknowledged: null,
    againAtMs: null,
    ...alarm,
  };
}

export type Told = readonly [kind: LogEntry['kind'], data: unknown, by?: string | null, id?: string];

/** Returns the log of entries about SUL DORIL, a millisecond apart from VIEW_NOW_MS on, whose ids are their places. */
export function logOf(...entries: readonly Told[]): LogRow[] {
  const rows = entries.map(([kind, data, by = null, id], place) =>
    Object.assign(occurrence(id ?? `${place}`, '', VIEW_NOW_MS + place), { kind, data, by }),
  );
  return chain('e'.repeat(32), rows);
}
