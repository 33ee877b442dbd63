import { expect, test } from 'vitest';
import { NO_FIGURES } from '../../../testing/desk/log-rows.ts';
import type { LogRow } from './flow-log.ts';
import { readReport } from './record-report.ts';

interface Told extends Partial<Pick<LogRow, 'id' | 'by' | 'sector'>> {
  readonly kind: LogRow['kind'];
  readonly data: object;
}

function logOf(...told: readonly Told[]): LogRow[] {
  return told.map((entry, index) => {
    const { id = `row ${index}`, by = null, sector = null, kind, data } = entry;
    const at = { atMs: 1_000 * index, seq: index + 1, previous: '' };
    return Object.assign(at, { id, by, sector, kind, data, source: 'live', figures: NO_FIGURES }) as LogRow;
  });
}

const stopped = { rule: 'stopped', figures: {} };
const of = (alarm: string, more: object = {}): object => ({ alarm, ...more });

test('an alarm has its story, from its beginning to its end', () => {
  const { alarms } = readReport(
    logOf(
      { kind: 'alarm', id: 'a', sector: '7', data: stopped },
      { kind: 'alarm', id: 'b', sector: '4', data: stopped },
      { kind: 'acknowledge', by: 'Ana', data: of('a', { note: 'porta' }) },
      { kind: 'alarm-returned', data: of('a', { why: 'resolved' }) },
      { kind: 'alarm-returned', data: of('a', { why: 'withdrawn' }) },
      { kind: 'alarm-again', data: of('b', { why: 'unresolved' }) },
      { kind: 'alarm-again', data: of('gone', { why: 'unresolved' }) },
    ),
  );
  expect(alarms).toEqual([
    {
      id: 'a',
      sector: '7',
      notice: stopped,
      sinceMs: 0,
      acknowledged: [{ atMs: 2_000, by: 'Ana', note: 'porta' }],
      againAtMs: [],
      silentAtMs: [],
      joined: [],
      returned: [{ atMs: 3_000, why: 'resolved' }],
      isActive: false,
    },
    expect.objectContaining({ id: 'b', acknowledged: [], againAtMs: [5_000], returned: [], isActive: true }),
  ]);
});

test('an alarm that comes back keeps its earlier ends, and has none until it returns again; sectors that join it are named', () => {
  const { alarms } = readReport(
    logOf(
      { kind: 'alarm', id: 'a', data: { rule: 'several-stopped', figures: { sectors: [] } } },
      { kind: 'alarm-joined', data: of('a', { sectors: [{ sector: '9' }] }) },
      { kind: 'alarm-returned', data: of('a', { why: 'withdrawn' }) },
      { kind: 'alarm-again', data: of('a', { why: 'recurred', figures: { sectors: [] } }) },
    ),
  );
  const returned = [{ atMs: 2_000, why: 'withdrawn' }];
  expect(alarms).toMatchObject([{ joined: [{ sector: '9' }], againAtMs: [3_000], returned, isActive: true }]);
});

test("an operator's entry is listed with who took it back, and a forecast with its outcome", () => {
  const report = readReport(
    logOf(
      { kind: 'mark', id: 'm', by: 'Ana', sector: '7', data: { mark: 'unscanned' } },
      { kind: 'occurrence', id: 'o', by: 'Ana', data: { text: 'fila' } },
      { kind: 'take-back', by: 'Bia', data: { id: 'm', why: 'ended' } },
      { kind: 'entry-closed', data: {} },
      { kind: 'forecast', id: 'f', data: { minutesBefore: 30 } },
      { kind: 'forecast', id: 'g', data: { minutesBefore: 15 } },
      { kind: 'outcome', data: { forecast: 'f', admitted: 5, isHeld: true } },
      { kind: 'lot', sector: '7', data: { count: 412 } },
      { kind: 'gap', data: { fromMs: 0, toMs: 60_000 } },
      { kind: 'interrupted', data: { what: 'tickets', fromMs: 0, toMs: 3_000 } },
      { kind: 'estimate', id: 'e', data: { mark: 'm', count: 150, how: 'a olho' } },
      { kind: 'take-back', by: 'Rui', data: { id: 'e' } },
      { kind: 'notified', data: { id: 'm', status: 200 } },
    ),
  );
  expect(report.marks).toMatchObject([
    { row: { id: 'm' }, takenBack: { why: 'ended', atMs: 2_000, by: 'Bia' } },
    { row: { id: 'e' }, takenBack: { why: 'mistake', by: 'Rui' } },
  ]);
  expect(report.occurrences).toMatchObject([{ row: { id: 'o' }, takenBack: null }]);
  expect(report.decisions).toMatchObject([{ row: { kind: 'entry-closed' } }]);
  expect(report.forecasts).toMatchObject([
    { made: { id: 'f' }, outcome: { data: { admitted: 5 } } },
    { made: { id: 'g' }, outcome: null },
  ]);
  expect(report.lots).toMatchObject([{ data: { count: 412 } }]);
  expect(report.interruptions).toMatchObject([{ kind: 'gap' }, { kind: 'interrupted' }]);
});

test('a mark that was both ended and withdrawn counts as a mistake, in either order', () => {
  const said = (why: string) => ({ kind: 'take-back', by: why, data: { id: 'm', why } }) as const;
  for (const order of [
    ['ended', 'mistake'],
    ['mistake', 'ended'],
  ]) {
    const { marks } = readReport(
      logOf({ kind: 'mark', id: 'm', data: { mark: 'unscanned' } }, ...order.map(said)),
    );
    expect(marks).toMatchObject([{ takenBack: { why: 'mistake', by: 'mistake' } }]);
  }
});
