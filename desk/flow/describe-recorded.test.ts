import { afterEach, expect, test, vi } from 'vitest';
import type { SectorDocument } from '../../domain/event-state.ts';
import type { DeskState } from '../model/desk-state.ts';
import { MINUTE_MS } from '../model/series/minute.ts';
import { driveFlow } from '../../testing/desk/driven-flow.ts';

const KICK_OFF_MS = Date.UTC(2026, 10, 22, 20);
const SECTORS = ['4', '7', '9', '11'].map((code) => ({ code, valid: 4_000 }));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function open(incidents: readonly string[] = [], documents: readonly SectorDocument[] = []) {
  const match = { seed: 7, sectors: SECTORS, lateness: 0, capacity: 2.5, coming: 0.9 };
  return driveFlow({ match, incidents, documents, kickOffMs: KICK_OFF_MS, fromMinute: -60 });
}

function permit(code: string, capacity: number): SectorDocument {
  return { code, data: { capacity } };
}

/** Without what is not recorded, or is of another second (docs/decisions/0026). */
function recordedOf({
  total,
  rows,
  forecast,
  watch,
  wallMs: _wallMs,
  timeline: _timeline,
  ...state
}: DeskState): unknown {
  const figures = <F extends { lastEntryAtMs: number | null }>(row: F) => ({
    ...row,
    lastEntryAtMs: row.lastEntryAtMs === null ? null : Math.floor(row.lastEntryAtMs / MINUTE_MS),
  });
  return {
    ...state,
    nowMs: Math.floor(state.nowMs / MINUTE_MS),
    waits: watch.waits,
    total: figures(total),
    rows: rows.map(figures),
    forecast:
      forecast.kind === 'none'
        ? forecast
        : forecast.total?.map(({ admitted, valid, perMinuteNow, perMinuteBest }) => ({
            admitted,
            valid,
            perMinuteNow,
            perMinuteBest,
          })),
  };
}

test('each recorded minute of a match with alarms, marks, a suspension, other capacities and a later kick-off is described as it was displayed', async () => {
  const driven = open(
    ['stop:7@-40+9', 'stop:9@-20+8', 'slow:4@-28+10x0.2'],
    [permit('7', 3_900), permit('9', 1_500), { code: '11', data: { nome: 'LESTE' } }],
  );
  const id = (): string => crypto.randomUUID();
  const markId = id();
  const commands = new Map([
    [-37, { id: id(), kind: 'mark', sector: '11', mark: 'unscanned' }],
    [-33, { id: markId, kind: 'mark', sector: '4', mark: 'suspended' }],
    [-31, { id: id(), kind: 'take-back', entryId: markId }],
    [-17, { id: id(), kind: 'suspend', rule: 'stopped', sector: '9', minutes: 5, reason: 'troca' }],
    [-10, { id: id(), kind: 'kick-off', kickOffAtMs: KICK_OFF_MS + 15 * MINUTE_MS }],
    [10, { id: id(), kind: 'entry-closed' }],
  ] as const);
  const shown: (readonly [minute: number, state: DeskState])[] = [];
  for (let minute = -55; minute <= 20; minute += 1) {
    driven.playTo(minute);
    driven.settle();
    shown.push([minute, driven.desk.state()]);
    if (minute === -25) driven.say([permit('7', 3_900), permit('9', 3_000), permit('11', 3_950)]);
    const command = commands.get(minute as never);
    if (!command) continue;
    driven.playTo(minute + 0.5);
    await driven.desk.command(command, 'Ana');
  }
  expect(driven.rows('alarm').map(({ data }) => data.rule)).toEqual(
    expect.arrayContaining(['stopped', 'above-capacity']),
  );
  expect(driven.rows('capacities').map(({ data }) => data.permitted)).toEqual([
    { 7: 3_900, 9: 1_500 },
    { 7: 3_900, 9: 3_000, 11: 3_950 },
  ]);
  const states = new Set(shown.flatMap(([, { rows }]) => rows.map(({ state }) => state)));
  expect([...states].toSorted()).toEqual(['dropped', 'flowing', 'quiet', 'stopped', 'unknown']);
  for (const [minute, state] of shown) {
    const replayed = driven.desk.stateAt(KICK_OFF_MS + minute * MINUTE_MS);
    expect([minute, replayed && recordedOf(replayed)]).toEqual([minute, recordedOf(state)]);
  }
});

test('a minute in a gap is described as not live and not verified since the gap began, without a rate, a forecast or a state of a sector', () => {
  const driven = open();
  driven.playTo(-40);
  driven.playTo(-36.5, { isSilent: true });
  driven.reconnect();
  driven.playTo(-30);
  const at = (minute: number) => driven.desk.stateAt(KICK_OFF_MS + minute * MINUTE_MS);
  expect(driven.rows('gap').map(({ data }) => driven.minuteOf(data.fromMs))).toEqual([-41]);
  const before = at(-41);
  expect(before?.source).toEqual({ live: true });
  const unknown = at(-38);
  expect(unknown).toMatchObject({
    source: { live: false, ageMs: 3 * MINUTE_MS, reason: 'connecting' },
    total: { admitted: before?.total.admitted, lastMinute: null, lastFive: null },
    forecast: { kind: 'none', why: 'no-data' },
    watch: { waits: 'not-live', atMs: KICK_OFF_MS - 41 * MINUTE_MS },
    lastMinuteMs: KICK_OFF_MS - 42 * MINUTE_MS,
  });
  expect(unknown?.rows.map(({ state, lastMinute }) => [state, lastMinute])).toEqual(
    unknown?.rows.map(() => ['unknown', null]),
  );
  expect(at(-34)?.source).toEqual({ live: true });
});

test('there is no description before the first known minute, nor of a minute that has not ended', () => {
  const driven = open();
  driven.playTo(-30);
  const at = (minute: number) => driven.desk.stateAt(KICK_OFF_MS + minute * MINUTE_MS);
  expect([at(-60), at(-30), at(-29)]).toEqual([undefined, undefined, undefined]);
  driven.settle();
  expect(at(-30)?.nowMs).toBe(KICK_OFF_MS - 30 * MINUTE_MS);
});
