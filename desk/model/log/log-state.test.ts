import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryOf } from '../../../testing/desk/match-view.ts';
import type { LogEntry, LogKind } from './flow-log.ts';
import { readLogState } from './log-state.ts';

type DataOf<K extends LogKind> = Extract<LogEntry, { kind: K }>['data'];

/** The next entry of a log, a second after the one before. */
function entry<K extends LogKind>(
  id: string,
  kind: K,
  data: DataOf<K>,
  sector: string | null = null,
): LogEntry {
  return entryOf(kind, data as never, { id, atMs: Number(id) * 1_000, sector });
}

describe('a log', () => {
  test('without entries is empty', () => {
    expect(readLogState([])).toEqual({
      gatesOpenAtMs: null,
      kickOffAtMs: null,
      plannedKickOffAtMs: null,
      isKickOffOfDesk: false,
      permitted: {},
      marks: [],
      uncounted: [],
      entryClosedAtMs: null,
      evacuatedAtMs: null,
      endedMarks: [],
      reopenedAtMs: null,
      alarms: [],
      stopOverAtMs: new Map(),
      suspensions: [],
      withdrawnImports: new Set(),
      activeIds: new Set(),
      takenBack: new Set(),
    });
  });

  test('has the kick-off of an operator before that of the event, until it is taken back', () => {
    const log = [
      entry('1', 'times', { gatesOpenAtMs: 10, kickOffAtMs: 100 }),
      entry('2', 'kick-off', { kickOffAtMs: 115 }),
      entry('3', 'kick-off', { kickOffAtMs: 130 }),
      entry('4', 'times', { gatesOpenAtMs: 12, kickOffAtMs: 105 }),
      entry('5', 'take-back', { id: '3' }),
      entry('6', 'take-back', { id: '2' }),
      entry('7', 'times', { gatesOpenAtMs: null, kickOffAtMs: null }),
    ];
    const states = log.map((_, place) => readLogState(log.slice(0, place + 1)));
    expect(states.map(({ kickOffAtMs }) => kickOffAtMs)).toEqual([100, 115, 130, 130, 115, 105, null]);
    const planned = states.map(({ plannedKickOffAtMs }) => plannedKickOffAtMs);
    expect(planned).toEqual([100, 100, 100, 105, 105, 105, null]);
    const ofDesk = states.map(({ isKickOffOfDesk }) => isKickOffOfDesk);
    expect(ofDesk).toEqual([false, true, true, true, true, false, false]);
    expect(states.map(({ gatesOpenAtMs }) => gatesOpenAtMs)).toEqual([10, 10, 10, 12, 12, 12, null]);
  });

  test('has the time since which counts are incomplete: for people who pass uncounted, not where nobody enters', () => {
    const log = [
      entry('1', 'mark', { mark: 'suspended' }, '7'),
      entry('2', 'mark', { mark: 'unscanned' }, '7'),
      entry('3', 'mark', { mark: 'elsewhere' }, '7'),
      entry('4', 'mark', { mark: 'elsewhere' }, ''),
      entry('5', 'take-back', { id: '2', why: 'mistake' }),
    ];
    const uncounted = (rows: LogEntry[]) =>
      readLogState(rows).uncounted.map(({ sector, sinceMs }) => [sector, sinceMs]);
    expect(uncounted(log.slice(0, 4))).toEqual([
      ['7', 2_000],
      ['7', 3_000],
      ['', 4_000],
    ]);
    expect(uncounted(log)).toEqual([
      ['7', 3_000],
      ['', 4_000],
    ]);
    expect(readLogState(log).marks.map(({ id, mark, sinceMs, by }) => [id, mark, sinceMs, by])).toEqual([
      ['1', 'suspended', 1_000, 'Ana'],
      ['3', 'elsewhere', 3_000, 'Ana'],
      ['4', 'elsewhere', 4_000, 'Ana'],
    ]);
  });

  test('a mark that has ended leaves people uncounted for ever, unless it was a mistake', () => {
    const log = [
      entry('600', 'mark', { mark: 'unscanned', sinceMs: 500_000 }, '7'),
      entry('601', 'take-back', { id: '600', why: 'ended' }),
    ];
    const mark = { id: '600', mark: 'unscanned', sector: '7', sinceMs: 500_000, by: 'Ana' };
    expect(readLogState(log.slice(0, 1))).toMatchObject({ marks: [mark], uncounted: [mark] });
    expect(readLogState(log)).toMatchObject({
      marks: [],
      uncounted: [{ ...mark, endedAtMs: 601_000 }],
      endedMarks: [{ ...mark, endedAtMs: 601_000 }],
      activeIds: new Set(['600']),
      takenBack: new Set(),
    });
    expect(readLogState([...log, entry('900', 'take-back', { id: '600', why: 'mistake' })])).toMatchObject({
      marks: [],
      uncounted: [],
      endedMarks: [],
      activeIds: new Set(),
      takenBack: new Set(['600']),
    });
  });

  test('a suspended entry that has ended leaves nobody uncounted', () => {
    const log = [
      entry('1', 'mark', { mark: 'suspended' }, '7'),
      entry('2', 'take-back', { id: '1', why: 'ended' }),
    ];
    expect(readLogState(log)).toMatchObject({ marks: [], uncounted: [], endedMarks: [{ endedAtMs: 2_000 }] });
  });

  test('a mark that an older desk took back has ended, or within two minutes was a mistake', () => {
    const log = [
      entry('1', 'mark', { mark: 'unscanned' }, '7'),
      entry('2', 'mark', { mark: 'unscanned' }, '8'),
      entry('121', 'take-back', { id: '1' }),
      entry('123', 'take-back', { id: '2' }),
    ];
    expect(readLogState(log).uncounted).toMatchObject([{ sector: '8', sinceMs: 2_000, endedAtMs: 123_000 }]);
    expect(readLogState(log).marks).toEqual([]);
  });

  test('the newest estimate of a mark holds, and the one before where that is taken back', () => {
    const log = [
      entry('1', 'mark', { mark: 'unscanned', estimate: { count: 50, how: 'a olho' } }, '7'),
      entry('2', 'estimate', { mark: '1', count: 150, how: 'contagem manual' }),
      entry('3', 'take-back', { id: '1', why: 'ended' }),
      entry('4', 'take-back', { id: '2' }),
    ];
    const estimates = log.map((_, place) => readLogState(log.slice(0, place + 1)).uncounted[0]?.estimate);
    const first = { count: 50, how: 'a olho', by: 'Ana', atMs: 1_000 };
    const second = { count: 150, how: 'contagem manual', by: 'Ana', atMs: 2_000 };
    expect(estimates).toEqual([first, second, second, first]);
  });

  test('a mark holds from its entry on, if it does not say since when, and never from later', () => {
    const log = [
      entry('1', 'mark', { mark: 'unscanned' }, '7'),
      entry('2', 'mark', { mark: 'unscanned', sinceMs: 9_000 }, '8'),
    ];
    expect(readLogState(log).uncounted.map(({ sinceMs }) => sinceMs)).toEqual([1_000, 2_000]);
  });

  test('keeps the time of the first of two equal entries, until both are taken back', () => {
    const log = [
      entry('1', 'entry-closed', {}),
      entry('2', 'entry-closed', {}),
      entry('3', 'evacuation', {}),
      entry('4', 'take-back', { id: '1' }),
      entry('5', 'take-back', { id: '3' }),
    ];
    expect(readLogState(log.slice(0, 3))).toMatchObject({ entryClosedAtMs: 1_000, evacuatedAtMs: 3_000 });
    expect(readLogState(log)).toMatchObject({ entryClosedAtMs: 2_000, evacuatedAtMs: null });
  });

  test('has the time from which the event could be watched again', () => {
    const log = [
      entry('1', 'entry-closed', {}),
      entry('2', 'mark', { mark: 'unscanned' }, '7'),
      entry('3', 'evacuation', {}),
      entry('4', 'take-back', { id: '1' }),
      entry('5', 'take-back', { id: '3' }),
      entry('6', 'take-back', { id: '3' }),
      entry('7', 'take-back', { id: '2' }),
    ];
    expect(readLogState(log).reopenedAtMs).toBe(5_000);
  });

  test('has the newest suspension of a rule in a sector, and the one before where that is taken back', () => {
    const suspend = (id: string, minutes: 5 | 30, sector: string) =>
      entry(id, 'suspend', { rule: 'stopped', minutes, reason: 'chuva' }, sector);
    const log = [suspend('1', 30, '7'), suspend('2', 5, '7'), suspend('3', 5, '8')];
    const untilMs = (rows: LogEntry[]) =>
      readLogState(rows).suspensions.map((each) => [each.sector, each.untilMs - each.sinceMs]);
    expect(untilMs(log)).toEqual([
      ['7', 300_000],
      ['8', 300_000],
    ]);
    expect(untilMs([...log, entry('4', 'take-back', { id: '2' })])).toContainEqual(['7', 1_800_000]);
  });

  test('knows which imports were withdrawn', () => {
    const data = { minutes: 100, sha256: 'ab' };
    const log = [
      entry('1', 'import', data),
      entry('2', 'import', data),
      entry('3', 'take-back', { id: '1' }),
    ];
    expect(readLogState(log)).toMatchObject({
      withdrawnImports: new Set(['1']),
      activeIds: new Set(['2']),
    });
  });
});

const anyEntry = fc.oneof(
  fc.record({ kind: fc.constant('started' as const), data: fc.constant({ version: '1' }) }),
  fc.record({ kind: fc.constant('lot' as const), data: fc.constant({ count: 100 }) }),
  fc.record({
    kind: fc.constant('times' as const),
    data: fc.record({ gatesOpenAtMs: fc.option(fc.nat(9)), kickOffAtMs: fc.option(fc.nat(9)) }),
  }),
  fc.record({
    kind: fc.constant('mark' as const),
    data: fc.record({
      mark: fc.constantFrom('unscanned' as const, 'suspended' as const, 'elsewhere' as const),
    }),
  }),
  fc.record({ kind: fc.constant('kick-off' as const), data: fc.record({ kickOffAtMs: fc.nat(9) }) }),
  fc.record({ kind: fc.constantFrom('entry-closed' as const, 'evacuation' as const), data: fc.constant({}) }),
  fc.record({ kind: fc.constant('occurrence' as const), data: fc.constant({ text: 'a' }) }),
  fc.record({
    kind: fc.constant('import' as const),
    data: fc.constant({ minutes: 1, sha256: 'ab' }),
  }),
);

test('taking entries back leaves the state of a log that never had them', () => {
  const anyLog = fc.array(fc.tuple(anyEntry, fc.constantFrom('7', '8', '', null), fc.boolean()), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(anyLog, (steps) => {
      const log = steps.map(([{ kind, data }, sector], place) =>
        entry(String(place), kind, data as DataOf<typeof kind>, sector),
      );
      const canGo = ({ id, kind }: LogEntry) =>
        steps[Number(id)]?.[2] === true && !['started', 'lot', 'times'].includes(kind);
      const named = log.filter(({ id }) => steps[Number(id)]?.[2] === true);
      const takenBack = named.map(({ id, kind }, place) =>
        entry(String(1_000 + place), 'take-back', { id, ...(kind === 'mark' && { why: 'mistake' }) }),
      );
      const left = readLogState(log.filter((row) => !canGo(row)));
      const withdrawnImports = new Set(
        log.filter((row) => row.kind === 'import' && canGo(row)).map(({ id }) => id),
      );
      expect(readLogState([...log, ...takenBack])).toEqual({
        ...left,
        withdrawnImports,
        // What it is that was taken back shows, as the rules have to wait from then on.
        reopenedAtMs: named.reduce<number | null>(
          (last, { kind }, place) =>
            ['entry-closed', 'evacuation'].includes(kind) ? (1_000 + place) * 1_000 : last,
          null,
        ),
        takenBack: new Set(named.map(({ id }) => id)),
      });
    }),
  );
});
