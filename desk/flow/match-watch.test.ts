import { afterEach, expect, test, vi } from 'vitest';
import { MINUTE_MS } from '../model/series/minute.ts';
import { driveFlow, type DrivenFlowOptions } from '../../testing/desk/driven-flow.ts';
import { MemoryRecord } from '../record/memory-record.ts';
import type { RecordListener, RecordState } from '../record/record.ts';

const KICK_OFF_MS = Date.UTC(2026, 10, 22, 20);
const SECTORS = ['4', '7', '9'].map((code) => ({ code, valid: 4_000 }));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function open(
  incidents: readonly string[] = [],
  fromMinute = -60,
  more: Pick<DrivenFlowOptions, 'record' | 'documents'> = {},
) {
  const match = { seed: 7, sectors: SECTORS, lateness: 0, capacity: 2.5, coming: 0.9 };
  return driveFlow({ match, incidents, kickOffMs: KICK_OFF_MS, fromMinute, ...more });
}

test('a sector that lets nobody in is raised, noted with its figures, shown with its state, and returns', async () => {
  const driven = open(['stop:7@-30+8']);
  driven.playTo(-30);
  expect(driven.desk.state()).toMatchObject({ alarms: [], watch: { waits: null } });
  driven.playTo(-25);
  const [alarm] = driven.rows('alarm');
  expect(alarm).toMatchObject({ sector: '7', by: null, source: 'live', data: { rule: 'stopped' } });
  const raisedAt = driven.minuteOf(alarm?.atMs ?? 0);
  expect(raisedAt).toBeGreaterThan(-28.1);
  expect(raisedAt).toBeLessThan(-27.5);
  expect((alarm?.atMs ?? 1) % 10_000).toBe(0);
  expect(alarm?.figures.sector?.admitted).toBeGreaterThan(100);
  const shown = driven.desk.state();
  expect(shown.alarms).toMatchObject([{ id: alarm?.id, acknowledged: null, returnedAtMs: null }]);
  expect(shown.rows.map(({ state }) => state)).toEqual(['flowing', 'stopped', 'flowing', 'quiet']);

  const id = crypto.randomUUID();
  const acknowledge = { id, kind: 'acknowledge', alarm: alarm?.id ?? '', note: 'emperrou' } as const;
  await driven.desk.command(acknowledge, 'Ana');
  expect(driven.desk.state().alarms).toMatchObject([{ acknowledged: { by: 'Ana', note: 'emperrou' } }]);
  await expect(driven.desk.command({ ...acknowledge, id: crypto.randomUUID() }, 'Ana')).rejects.toThrow(
    /acknowledged already/,
  );
  driven.playTo(-18);
  const [returned] = driven.rows('alarm-returned');
  expect(returned).toMatchObject({ data: { alarm: alarm?.id, why: 'resolved' } });
  expect(driven.minuteOf(returned?.atMs ?? 0)).toBeGreaterThan(-22);
  expect(driven.minuteOf(returned?.atMs ?? 0)).toBeLessThan(-21);
  expect(driven.desk.state().alarms.map(({ id: inForce }) => inForce)).not.toContain(alarm?.id);
});

test('what holds as a process starts is dated no earlier', () => {
  const documents = [{ code: '4', data: { capacity: 400 } }];
  const driven = open([], -20.05, { documents });
  driven.playTo(-19.9);
  const [first] = driven.rows('alarm');
  expect(first).toMatchObject({ sector: '4', data: { rule: 'above-capacity' } });
  expect(driven.minuteOf(first?.atMs ?? 0)).toBeGreaterThanOrEqual(-20.05);
});

test("an operator's command takes effect before the next evaluation", async () => {
  const driven = open(['stop:7@-30+12']);
  driven.playTo(-25);
  expect(driven.desk.state().rows[1]?.state).toBe('stopped');
  const before = driven.desk.state().watch.atMs;
  await driven.desk.command({ kind: 'entry-closed', id: crypto.randomUUID() }, 'Ana');
  const closed = driven.desk.state();
  expect(closed.watch).toEqual({ atMs: before, waits: 'entry-closed' });
  expect(closed.rows.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  // Over once the rules have looked.
  expect(closed.alarms).toMatchObject([{ rule: 'stopped', returnedAtMs: null }]);
  driven.playTo(-24);
  expect(driven.rows('alarm-returned')).toMatchObject([{ data: { why: 'withdrawn' } }]);
});

test('an active drop is shown with what its rule compares now', () => {
  const driven = open(['slow:7@-30+20x0.1']);
  driven.playTo(-20);
  const [alarm] = driven.desk.state().alarms;
  expect(alarm).toMatchObject({ rule: 'dropped', sector: '7', now: { windowMs: 300_000 } });
  expect(alarm?.now?.entered).toBeLessThan(0.5 * (alarm?.now?.expected ?? 0));
  driven.playTo(-4);
  expect(driven.desk.state().alarms).toMatchObject([{ returnedAtMs: expect.any(Number) as number }]);
  expect(driven.desk.state().alarms[0]).not.toHaveProperty('now');
});

test('what a command causes is not dated before it, though the rules are applied as of the minute before', async () => {
  const driven = open(['stop:7@-30+12']);
  driven.playTo(-25 + 0.5 / 60);
  const mark = { kind: 'mark', id: crypto.randomUUID(), sector: '7', mark: 'unscanned' } as const;
  await driven.desk.command(mark, 'Ana');
  driven.playTo(-24.95);
  const [row] = driven.rows('alarm-returned');
  expect(row?.data.why).toBe('withdrawn');
  expect(row?.atMs).toBe(driven.rows('mark')[0]?.atMs);
  expect(driven.minuteOf(row?.atMs ?? 0)).toBeGreaterThan(-25);
});

test('an active alarm alone can be suspended; one that has returned would silence what comes next', async () => {
  const driven = open(['stop:7@-30+8']);
  const suspend = { kind: 'suspend', rule: 'stopped', sector: '7', minutes: 5, reason: 'troca' } as const;
  const say = async () => await driven.desk.command({ ...suspend, id: crypto.randomUUID() }, 'Ana');
  driven.playTo(-29);
  await expect(say()).rejects.toMatchObject({ reason: 'over' });
  driven.playTo(-27);
  await say();
  driven.playTo(-25);
  expect(driven.desk.state()).toMatchObject({
    alarms: [{ rule: 'stopped' }],
    suspensions: [{ sector: '7', reason: 'troca', by: 'Ana' }],
  });
  driven.playTo(-18);
  expect(driven.desk.state()).toMatchObject({
    alarms: [{ returnedAtMs: expect.any(Number) as number }],
    suspensions: [],
  });
  await expect(say()).rejects.toMatchObject({ reason: 'over' });
  // It has ended by itself: the record must not say that somebody undid it.
  const entryId = driven.rows('suspend')[0]?.id ?? '';
  const takeBack = driven.desk.command({ id: crypto.randomUUID(), kind: 'take-back', entryId }, 'Ana');
  await expect(takeBack).rejects.toMatchObject({ reason: 'permanent' });
});

test('what enters just after a boundary is raised once, with the next one', () => {
  const entriesMs = new Float64Array(404).fill(-40 * MINUTE_MS + 1_500).fill(-30 * MINUTE_MS + 1_500, 364);
  const driven = driveFlow({
    match: {
      gatesOpenMs: -120 * MINUTE_MS,
      sectors: [{ code: '4', valid: 500, entriesMs, lateBatches: [] }],
    },
    kickOffMs: KICK_OFF_MS,
    fromMinute: -60,
    documents: [{ code: '4', data: { capacity: 400 } }],
  });
  driven.playTo(-20);
  const atS = ({ atMs }: { readonly atMs: number }): number => Math.round(driven.minuteOf(atMs) * 60);
  const ofCapacity = driven.rows('alarm').filter(({ data }) => data.rule.endsWith('-capacity'));
  expect(ofCapacity.map((row) => [row.sector, row.data.rule, atS(row)])).toEqual([
    ['4', 'near-capacity', -2_390],
    [null, 'near-capacity', -2_390],
    ['4', 'above-capacity', -1_790],
    [null, 'above-capacity', -1_790],
  ]);
  expect(driven.rows('alarm-returned').map((row) => [row.data.why, atS(row)])).toEqual([
    ['replaced', -1_790],
    ['replaced', -1_790],
  ]);
});

test('nothing coming at all is raised too, though no boundary is passed then', () => {
  const driven = open();
  driven.playTo(-30);
  driven.freshness = { live: false, verifiedAtMs: performance.now(), reason: 'connecting' };
  driven.playTo(-28, { isSilent: true });
  const raised = driven.rows('alarm');
  expect(raised).toMatchObject([{ sector: null, data: { rule: 'no-data' } }]);
  const stoppedAtMs = raised.map(
    ({ atMs, data }) => atMs - ('staleMs' in data.figures ? data.figures.staleMs : 0),
  );
  expect(stoppedAtMs.map((ms) => driven.minuteOf(ms))).toEqual([-30]);
  expect(driven.desk.state()).toMatchObject({ watch: { waits: 'not-live' }, alarms: [{ rule: 'no-data' }] });
  expect(driven.desk.state().rows.map(({ state }) => state)).toEqual(Array(4).fill('unknown'));
  expect(driven.desk.state().forecast).toEqual({ kind: 'none', why: 'no-data' });
});

test('forecasts are noted when they are due, once, and judged after their kick-off', () => {
  const driven = open([], -100);
  driven.playTo(-14);
  const forecasts = driven.rows('forecast');
  expect(forecasts.map(({ data }) => data.minutesBefore)).toEqual([90, 60, 45, 30, 15]);
  expect(forecasts.map(({ atMs }) => Math.round(driven.minuteOf(atMs)))).toEqual([-90, -60, -45, -30, -15]);
  // Without earlier matches there is no range.
  expect(forecasts.map(({ data }) => data.range)).toEqual(Array(5).fill(null));
  expect(driven.desk.state().forecast).toMatchObject({ kind: 'made' });
  driven.playTo(2);
  const { total } = driven.desk.state();
  const outcomes = driven.rows('outcome');
  expect(outcomes.map(({ data }) => data.forecast)).toEqual(forecasts.map(({ id }) => id));
  for (const { data } of outcomes) {
    expect(data.isHeld).toBe(null);
    expect(data.admitted).toBeGreaterThan(total.admitted * 0.9);
    expect(data.admitted).toBeLessThanOrEqual(total.admitted);
  }
  expect(driven.desk.state().forecast).toEqual({ kind: 'none', why: 'over' });
});

test('a forecast that is due by a moved kick-off is dated no earlier than the command', async () => {
  const driven = open();
  driven.playTo(-30 + 0.5 / 60);
  const kickOffAtMs = KICK_OFF_MS + 15 * MINUTE_MS;
  await driven.desk.command({ id: crypto.randomUUID(), kind: 'kick-off', kickOffAtMs }, 'Ana');
  driven.playTo(-29.9);
  const moved = driven.rows('kick-off').at(-1);
  const forecast = driven.rows('forecast').find(({ data }) => data.kickOffAtMs === kickOffAtMs);
  expect(forecast?.data.minutesBefore).toBe(45);
  expect(forecast?.atMs).toBe(moved?.atMs);
});

test('the forecast follows a command at once: a moved kick-off, a mark, an evacuation', async () => {
  const driven = open();
  driven.playTo(-40);
  const command = driven.desk.command.bind(driven.desk);
  const kickOffAtMs = KICK_OFF_MS + 15 * MINUTE_MS;
  await command({ id: crypto.randomUUID(), kind: 'kick-off', kickOffAtMs }, 'Ana');
  const { forecast } = driven.desk.state();
  expect(forecast.kind === 'made' && forecast.total?.[0]?.kickOffAtMs).toBe(kickOffAtMs);
  await command({ id: crypto.randomUUID(), kind: 'mark', sector: '7', mark: 'unscanned' }, 'Ana');
  expect(driven.desk.state().forecast).toMatchObject({ kind: 'made', total: null });
  await command({ id: crypto.randomUUID(), kind: 'evacuation' }, 'Ana');
  expect(driven.desk.state().forecast).toEqual({ kind: 'none', why: 'evacuated' });
  driven.playTo(-39);
  expect(driven.desk.state().watch.waits).toBe('evacuated');
});

test('walls are sent the incomplete counts: at first, after each command that changes them, and after each snapshot', async () => {
  const driven = open();
  const { command } = { command: driven.desk.command.bind(driven.desk) };
  const told = (): typeof driven.incomplete => {
    driven.incomplete = undefined;
    driven.playTo((minute += 0.1));
    return driven.incomplete;
  };
  let minute = -40;
  driven.playTo(minute);
  expect(driven.incomplete).toEqual([]);
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  const sinceMs = KICK_OFF_MS - 45 * MINUTE_MS;
  await command({ id: first, kind: 'mark', sector: '7', mark: 'unscanned', sinceMs }, 'Ana');
  expect(told()).toEqual([{ row: '7', fromMs: sinceMs, toMs: null }]);
  await command({ id: second, kind: 'mark', sector: '4', mark: 'suspended' }, 'Ana');
  expect(told()).toBeUndefined();
  driven.incomplete = undefined;
  driven.reconnect();
  // Before it is live.
  expect(driven.incomplete).toEqual([{ row: '7', fromMs: sinceMs, toMs: null }]);
  await command({ id: crypto.randomUUID(), kind: 'take-back', entryId: first, why: 'ended' }, 'Bia');
  const [ended] = told() ?? [];
  expect(ended).toMatchObject({ row: '7', fromMs: sinceMs });
  expect(driven.minuteOf(ended?.toMs ?? 0)).toBeCloseTo(-39.8, 1);
  await command({ id: crypto.randomUUID(), kind: 'take-back', entryId: first, why: 'mistake' }, 'Bia');
  expect(told()).toEqual([]);
});

test('walls are sent the start of an evacuation, and when it is taken back', async () => {
  const driven = open();
  driven.playTo(-40);
  expect(driven.evacuatedAtMs).toBeNull();
  const id = crypto.randomUUID();
  await driven.desk.command({ id, kind: 'evacuation' }, 'Ana');
  driven.playTo(-39);
  expect(driven.evacuatedAtMs).toBe(driven.desk.state().evacuatedAtMs);
  expect(driven.evacuatedAtMs).not.toBeNull();
  await driven.desk.command({ id: crypto.randomUUID(), kind: 'take-back', entryId: id }, 'Ana');
  driven.playTo(-38);
  expect(driven.evacuatedAtMs).toBeNull();
});

test('after a mark has ended the sector is watched again, and count and forecast stay what they are until an estimate', async () => {
  const driven = open();
  driven.playTo(-40);
  const command = driven.desk.command.bind(driven.desk);
  const id = crypto.randomUUID();
  await command({ id, kind: 'mark', sector: '7', mark: 'unscanned' }, 'Ana');
  driven.playTo(-38);
  await command({ id: crypto.randomUUID(), kind: 'take-back', entryId: id, why: 'ended' }, 'Ana');
  driven.playTo(-37);
  const ended = driven.desk.state();
  expect(ended).toMatchObject({ marks: [{ id, sector: '7' }], forecast: { kind: 'made', total: null } });
  expect(ended.total.incompleteSinceMs).toBe(ended.marks[0]?.sinceMs);
  expect(ended.rows.map(({ incompleteSinceMs }) => incompleteSinceMs !== null)).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(driven.desk.state().rows[1]?.state).toBe('flowing');
  await expect(
    command({ id: crypto.randomUUID(), kind: 'take-back', entryId: id, why: 'ended' }, 'Bia'),
  ).rejects.toMatchObject({ reason: 'taken-back' });
  await command({ id: crypto.randomUUID(), kind: 'estimate', mark: id, count: 150, how: 'a olho' }, 'Bia');
  const estimated = driven.desk.state();
  expect(estimated.total.admitted).toBe(ended.total.admitted);
  expect(estimated.forecast).toMatchObject({ total: [{ estimated: 150 }, {}, {}, {}] });
  await command({ id: crypto.randomUUID(), kind: 'take-back', entryId: id, why: 'mistake' }, 'Ana');
  expect(driven.desk.state()).toMatchObject({ marks: [], total: { incompleteSinceMs: null } });
  await expect(
    command({ id: crypto.randomUUID(), kind: 'estimate', mark: id, count: 150, how: 'a olho' }, 'Bia'),
  ).rejects.toMatchObject({ reason: 'taken-back' });
});

test('a database that was away is noted once it is back: that of the tickets, and that of the record', () => {
  class LeavingRecord extends MemoryRecord {
    override state: RecordState = { kind: 'writer' };
    lead = (): void => {};
    override run(listener: RecordListener): void {
      this.lead = () => listener.leader();
      super.run(listener);
    }
  }
  const record = new LeavingRecord('event');
  const driven = open([], -60, { record });
  driven.playTo(-40);
  expect(driven.rows('interrupted')).toEqual([]);
  driven.playTo(-39.9, { isSilent: true });
  driven.reconnect();
  driven.playTo(-39);
  record.state = { kind: 'away', reason: 'it was restarted' };
  driven.playTo(-29);
  record.state = { kind: 'writer' };
  driven.playTo(-28);
  const [tickets, ofRecord, ...more] = driven.rows('interrupted').map(({ by, sector, data }) => {
    const { what, fromMs, toMs } = data;
    return { by, sector, what, seconds: (toMs - fromMs) / 1_000, from: driven.minuteOf(fromMs) };
  });
  expect(tickets).toMatchObject({ by: null, sector: null, what: 'tickets', seconds: 6, from: -40 });
  expect(ofRecord).toMatchObject({ what: 'record' });
  expect(ofRecord?.from).toBeCloseTo(-39, 1);
  expect(ofRecord?.seconds).toBeCloseTo(600, -1);
  expect(more).toEqual([]);
  // A process that does not write the record notes nothing; one that writes it again a moment later does.
  record.state = { kind: 'standby' };
  driven.playTo(-27);
  driven.reconnect();
  record.state = { kind: 'away', reason: 'it was restarted' };
  driven.playTo(-26);
  record.state = { kind: 'standby' };
  driven.playTo(-25);
  expect(driven.rows('interrupted')).toHaveLength(2);
  record.state = { kind: 'away', reason: 'it was restarted' };
  driven.playTo(-24);
  record.state = { kind: 'standby' };
  driven.playTo(-23.95);
  record.state = { kind: 'writer' };
  record.lead();
  driven.playTo(-23);
  const [, , later, ...others] = driven.rows('interrupted');
  expect([later?.data.what, others]).toEqual(['record', []]);
  expect(driven.minuteOf(later?.data.toMs ?? 0)).toBeCloseTo(-24, 1);
});

test('whether counts are whole is not known before the record was ever read, and is once it was', () => {
  class UnavailableRecord extends MemoryRecord {
    override state: RecordState = { kind: 'away', reason: 'starting' };
    begin = (): void => {};
    override run(listener: RecordListener): void {
      this.begin = () => super.run(listener);
    }
  }
  const record = new UnavailableRecord('event');
  const driven = open([], -60, { record });
  driven.playTo(-59);
  expect(driven.incomplete).toBeUndefined();
  record.state = { kind: 'away', reason: 'it cannot be reached' };
  driven.playTo(-58);
  expect(driven.incomplete).toEqual([{ row: null, fromMs: null, toMs: null }]);
  expect(driven.desk.state().record.isUnread).toBe(true);
  record.state = { kind: 'writer' };
  record.begin();
  driven.playTo(-57);
  expect(driven.incomplete).toEqual([]);
  expect(driven.desk.state().record.isUnread).toBeUndefined();
  const [{ data } = { data: undefined }] = driven.rows('interrupted');
  expect(data?.what).toBe('record');
  expect(driven.minuteOf(data?.fromMs ?? 0)).toBeCloseTo(-59, 1);
  expect(driven.minuteOf(data?.toMs ?? 0)).toBeCloseTo(-58, 1);
});
