import { describe, expect, test } from 'vitest';
import { FlowSeries, type SectorChange } from './flow-series.ts';
import type { SectorTotals } from './series-reading.ts';
import type { LateBatch } from './late-batches.ts';
import { KEPT_MS, MINUTE_MS } from './minute.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 19, 0);
const SECOND_MS = 1_000;

/** 18:00:00 is `at(0)`. */
function at(minute: number, second = 0): number {
  return KICK_OFF_MS + (minute - 60) * MINUTE_MS + second * SECOND_MS;
}

function entries(count: number, sector = 0): SectorChange[] {
  return [{ sector, admitted: count, entered: count, reverted: 0, moved: 0, valid: 0 }];
}

function rows(...admitted: readonly number[]): SectorTotals[] {
  return admitted.map((count) => ({ admitted: count, valid: 1_000 }));
}

/** One sector, observed since 18:00. */
function observeOne(onLateBatch?: (batch: LateBatch) => void): FlowSeries {
  const series = new FlowSeries({ sectorCount: 1, ...(onLateBatch && { onLateBatch }) });
  series.begin(at(0), rows(100));
  return series;
}

test('each boundary is reported when it has elapsed, with how late that is, and what it counted is there', () => {
  const calls: unknown[] = [];
  const series = new FlowSeries({
    sectorCount: 1,
    onBoundary: (boundaryMs, behindMs) =>
      calls.push([boundaryMs, behindMs, series.lastBoundaryMs, series.admittedAt(boundaryMs, 0)]),
  });
  series.begin(at(0, 5), rows(100));
  series.commit(at(0, 15), entries(7));
  series.advanceTo(at(0, 8));
  series.advanceTo(at(0, 35));
  expect(calls).toEqual([
    [at(0, 10), 25_000, at(0, 10), 100],
    [at(0, 20), 15_000, at(0, 20), 107],
    [at(0, 30), 5_000, at(0, 30), 107],
  ]);
  // What nobody observed is not passed.
  series.begin(at(1, 5), rows(120));
  expect(calls).toHaveLength(3);
});

describe('a minute', () => {
  test('has what entered, was reverted and moved between its ends', () => {
    const series = observeOne();
    series.commit(at(0, 1), [{ sector: 0, admitted: 4, entered: 7, reverted: 1, moved: -2, valid: -3 }]);
    series.commit(at(0, 59.999), entries(1));
    series.commit(at(1), entries(50));
    expect(series.advanceTo(at(0, 59.999))).toEqual([]);
    expect(series.advanceTo(at(1))).toEqual([
      {
        minuteMs: at(0),
        sectors: [{ admitted: 105, net: 5, entered: 8, reverted: 1, moved: -2, valid: 997, lots: 0 }],
      },
    ]);
    expect(series.totals).toMatchObject([{ admitted: 155, valid: 997 }]);
  });

  test('is reported once, in order, however many elapse at once', () => {
    const series = observeOne();
    series.commit(at(2, 30), entries(5));
    const minutes = series.advanceTo(at(4, 5));
    expect(minutes.map(({ minuteMs }) => minuteMs)).toEqual([at(0), at(1), at(2), at(3)]);
    expect(minutes.map(({ sectors }) => sectors[0]?.net)).toEqual([0, 0, 5, 0]);
    expect(series.advanceTo(at(4, 5))).toEqual([]);
    expect(series.minutes(at(1), at(3))).toEqual(minutes.slice(1, 3));
    expect([at(3), at(4)].map((ms) => series.isConfirmed(ms))).toEqual([true, false]);
  });

  test('that ended takes no commit any more: one that turns up later counts in the running bucket', () => {
    const series = observeOne();
    series.advanceTo(at(1));
    series.commit(at(0, 59.9), entries(3));
    expect(series.advanceTo(at(1, 10))).toEqual([]);
    expect(series.admittedAt(at(1), 0)).toBe(100);
    expect(series.admittedAt(at(1, 10), 0)).toBe(103);
    expect(series.advanceTo(at(2))[0]?.sectors[0]).toMatchObject({ net: 3, entered: 3 });
  });

  test('in which observation began is not confirmed', () => {
    const series = new FlowSeries({ sectorCount: 1 });
    series.begin(at(0, 0.001), rows(100));
    expect(series.advanceTo(at(1))).toEqual([]);
    expect(series.advanceTo(at(2))).toHaveLength(1);
  });
});

describe('a break', () => {
  test('within a bucket changes no rate: the bucket gets the difference, and the minute has no details', () => {
    const series = observeOne();
    series.advanceTo(at(0, 20));
    series.commit(at(0, 21), entries(2));
    series.begin(at(0, 29), rows(110));
    expect(series.advanceTo(at(1))[0]?.sectors[0]).toEqual({
      admitted: 110,
      net: 10,
      entered: null,
      reverted: null,
      moved: null,
      valid: 1_000,
      lots: 0,
    });
    expect(series.admittedAt(at(0, 30), 0)).toBe(110);
  });

  test('over the end of a minute leaves out the two minutes that have it', () => {
    const series = observeOne();
    series.advanceTo(at(1, 50));
    series.begin(at(2, 1), rows(130));
    expect(series.advanceTo(at(5)).map(({ minuteMs }) => minuteMs)).toEqual([at(3), at(4)]);
    expect(series.admittedAt(at(2), 0)).toBeUndefined();
    expect(series.admittedAt(at(2, 10), 0)).toBe(130);
  });

  test('that ends at the end of a minute leaves it out only where the beginning was not observed', () => {
    const series = observeOne();
    series.advanceTo(at(0, 40));
    series.begin(at(1), rows(130));
    expect(series.advanceTo(at(1))[0]?.sectors[0]).toMatchObject({ net: 30, entered: null });
  });

  test('after which more people are in gives the latest possible time of the last entry', () => {
    const series = new FlowSeries({ sectorCount: 2 });
    series.begin(at(0), rows(5, 5));
    expect(series.lastEntryAtMs(0)).toBeUndefined();
    series.commit(at(0, 1), entries(1, 1));
    series.begin(at(0, 20), rows(6, 6));
    expect([0, 1].map((sector) => series.lastEntryAtMs(sector))).toEqual([at(0, 20), at(0, 1)]);
  });
});

test.each([
  ['a commit', [[2, 5, 150]], at(2, 5)],
  [
    'ten seconds',
    [
      [2, 1, 50],
      [2, 4, 50],
      [2, 9, 50],
    ],
    at(2, 10),
  ],
  ['a minute', [0, 10, 20, 30, 40, 50].map((second) => [2, second, 30]), at(3)],
] as const)('the last entry is none that came in a late batch of %s', (_, commits, byMs) => {
  const lots: LateBatch[] = [];
  const series = observeOne((batch) => lots.push(batch));
  series.advanceTo(at(1));
  series.commit(at(1, 3), entries(1));
  series.advanceTo(at(2));
  for (const [minute, second, count] of commits) {
    series.advanceTo(at(minute, second));
    series.commit(at(minute, second), entries(count));
  }
  series.advanceTo(byMs);
  expect(lots).toHaveLength(1);
  expect(series.lastEntryAtMs(0)).toBe(at(1, 3));
  series.advanceTo(at(3));
  const restarted = observeOne();
  restarted.restore(series.minutes(0, at(3)));
  expect(restarted.lastEntryAtMs(0)).toBe(at(1));
  series.commit(at(3, 1), entries(1));
  expect(series.lastEntryAtMs(0)).toBe(at(3, 1));
});

test('after a restart the beginning of the first recorded minute is known, as in what is replayed', () => {
  const series = observeOne();
  series.commit(at(0, 5), entries(9));
  series.advanceTo(at(2));
  const restarted = new FlowSeries({ sectorCount: 1 });
  restarted.restore(series.minutes(0, at(2)));
  restarted.begin(at(2, 5), rows(109));
  expect([at(0), at(1), at(2)].map((ms) => restarted.admittedAt(ms, 0))).toEqual([100, 109, 109]);
  expect(restarted.at(at(2))?.series.admittedAt(at(0), 0)).toBe(100);
});

test.each(['before', 'after'])(
  'the last entry is none of a late batch that comes as a minute is recorded, %s its end is passed',
  (order) => {
    const series = observeOne();
    series.commit(at(0, 5), entries(9));
    series.advanceTo(at(1));
    const other = observeOne();
    other.commit(at(0, 5), entries(9));
    other.advanceTo(at(2));
    if (order === 'after') series.advanceTo(at(2));
    series.commit(at(2, 1), entries(150));
    series.restore(other.minutes(at(1), at(2)));
    expect(series.lastEntryAtMs(0)).toBe(at(0, 5));
    series.advanceTo(at(2, 20));
    expect(series.lastEntryAtMs(0)).toBe(at(0, 5));
  },
);

describe('a restart', () => {
  const recorded = () => {
    const series = observeOne();
    series.commit(at(0, 5), entries(9));
    return series.advanceTo(at(1));
  };

  test.each(['before', 'after'])(
    'within a minute makes no gap: the record is read %s the totals',
    (order) => {
      const series = new FlowSeries({ sectorCount: 1 });
      const before = order === 'before' ? series.restore(recorded()) : [];
      series.begin(at(1, 40), rows(120));
      const passed = series.advanceTo(at(2));
      const after = order === 'after' ? series.restore(recorded()) : [];
      const joined = [...before, ...passed, ...after];
      expect(joined).toEqual([
        {
          minuteMs: at(1),
          sectors: [
            { admitted: 120, net: 11, entered: null, reverted: null, moved: null, valid: 1_000, lots: 0 },
          ],
        },
      ]);
      expect(series.minutes(0, Infinity)).toEqual([...recorded(), ...joined]);
      expect(series.advanceTo(at(3)).map(({ minuteMs }) => minuteMs)).toEqual([at(2)]);
    },
  );

  test('after more than a minute leaves a gap', () => {
    const series = new FlowSeries({ sectorCount: 1 });
    series.restore(recorded());
    series.begin(at(2, 10), rows(120));
    expect(series.advanceTo(at(4)).map(({ minuteMs }) => minuteMs)).toEqual([at(3)]);
  });

  test('knows the time of the last entry, to the minute', () => {
    const series = new FlowSeries({ sectorCount: 1 });
    series.restore(recorded());
    expect(series.lastEntryAtMs(0)).toBe(at(0));
    series.begin(at(1, 40), rows(120));
    series.commit(at(1, 41), entries(1));
    series.restore(recorded());
    expect(series.lastEntryAtMs(0)).toBe(at(1, 41));
  });

  test.each(['before', 'after'])(
    'knows that somebody has entered since the last known minute, restored %s it begins',
    (order) => {
      const series = new FlowSeries({ sectorCount: 1 });
      const admitted = recorded().at(-1)?.sectors[0]?.admitted ?? 0;
      if (order === 'before') series.restore(recorded());
      series.begin(at(1, 40), rows(admitted + 1));
      if (order === 'after') series.restore(recorded());
      expect(series.lastEntryAtMs(0)).toBe(at(1));
    },
  );

  test('knows that somebody has entered between two minutes of the record, whatever came of it later', () => {
    const minute = (minuteMs: number, admitted: number) => {
      const counts = { admitted, net: 0, entered: 0, reverted: 0, moved: 0, valid: 1_000, lots: 0 };
      return { minuteMs, sectors: [counts] };
    };
    const series = new FlowSeries({ sectorCount: 1 });
    series.restore([...recorded(), minute(at(4), 130), minute(at(5), 130), minute(at(8), 129)]);
    expect(series.lastEntryAtMs(0)).toBe(at(1));
    expect(series.at(at(9))?.series.lastEntryAtMs(0)).toBe(at(1));
    expect(series.at(at(1))?.series.lastEntryAtMs(0)).toBe(at(0));
  });

  test('keeps a minute as it is in the record, whatever was observed here, and does not pass it on again', () => {
    const series = observeOne();
    const [minute] = recorded();
    if (!minute) throw new Error('no minute');
    series.restore([minute]);
    series.commit(at(0, 5), entries(8));
    expect(series.advanceTo(at(1))).toEqual([]);
    expect(series.minutes(0, Infinity)).toEqual([minute]);
  });

  test('leaves late batches of another minute out of one that it makes confirmed', () => {
    const lots: LateBatch[] = [];
    const series = observeOne((batch) => lots.push(batch));
    series.advanceTo(at(0, 10));
    series.commit(at(0, 50), entries(500));
    series.begin(at(1, 20), rows(610));
    series.advanceTo(at(2));
    expect(series.restore(recorded())[0]?.sectors[0]).toMatchObject({ net: 501, lots: 501 });
    expect(lots).toEqual([
      { sector: 0, atMs: at(0, 50), count: 500 },
      { sector: 0, atMs: at(1), count: 501 },
    ]);
  });
});

describe('a clock that is set', () => {
  test('ahead makes a gap up to the minute in which it is now', () => {
    const series = observeOne();
    series.advanceTo(at(1, 30));
    series.commit(at(31, 2), entries(4));
    series.interrupt(at(1, 33));
    expect(series.advanceTo(at(31, 3))).toEqual([]);
    series.commit(at(32, 3), entries(5));
    expect(series.advanceTo(at(33)).map(({ minuteMs, sectors }) => [minuteMs, sectors[0]?.net])).toEqual([
      [at(32), 5],
    ]);
    expect(series.admittedAt(at(1, 30), 0)).toBeUndefined();
  });

  test('back makes no minute twice, and one gap where it was', () => {
    const series = observeOne();
    expect(series.advanceTo(at(9, 30))).toHaveLength(9);
    series.interrupt(at(9, 31));
    series.advanceTo(at(4, 31));
    series.commit(at(8, 1), entries(7));
    expect(series.advanceTo(at(11)).map(({ minuteMs }) => minuteMs)).toEqual([at(10)]);
    expect(series.isConfirmed(at(9))).toBe(false);
    expect(series.admittedAt(at(11), 0)).toBe(107);
  });

  test('ahead and back leaves out only what it went through twice', () => {
    const series = observeOne();
    series.advanceTo(at(1, 30));
    series.interrupt(at(1, 31));
    series.advanceTo(at(61, 31));
    series.interrupt(at(61, 40));
    const known = [...series.advanceTo(at(1, 41)), ...series.advanceTo(at(64))].map(
      ({ minuteMs }) => minuteMs,
    );
    expect(known).toEqual([...Array.from({ length: 59 }, (_, n) => at(n + 2)), at(62), at(63)]);
  });

  test('twice before anything elapses is as good as once', () => {
    const series = observeOne();
    series.advanceTo(at(1, 30));
    series.interrupt(at(1, 31));
    series.interrupt(at(61, 31));
    series.advanceTo(at(1, 32));
    expect(series.advanceTo(at(3)).map(({ minuteMs }) => minuteMs)).toEqual([at(2)]);
  });

  test('leaves a minute out to which a commit belongs by its time that is counted elsewhere', () => {
    const series = new FlowSeries({ sectorCount: 1 });
    series.begin(at(5), rows(100));
    series.interrupt(at(5, 2));
    series.begin(at(30, 5), rows(100));
    // The clock is at 18:10 by now, and nobody has seen it.
    series.commit(at(10, 30), entries(3));
    series.interrupt(at(30, 8));
    series.begin(at(11, 2), rows(103));
    series.interrupt(at(11, 5));
    series.begin(at(8, 50), rows(103));
    expect(series.advanceTo(at(13)).map(({ minuteMs }) => minuteMs)).toEqual([at(9), at(12)]);
  });

  test('goes unnoticed for no longer than a day', () => {
    const series = observeOne();
    expect(series.advanceTo(at(0) + KEPT_MS)).toHaveLength(KEPT_MS / MINUTE_MS);
    expect(series.advanceTo(at(0) + 1_000 * KEPT_MS)).toEqual([]);
    expect(series.advanceTo(at(2) + 1_000 * KEPT_MS)).toHaveLength(2);
  });
});

describe('a late batch', () => {
  test('is what one minute brings, but not what goes on: a sector passes more than was thought', () => {
    const lots: LateBatch[] = [];
    const series = observeOne((batch) => lots.push(batch));
    for (let minute = 0; minute < 7; minute += 1) {
      for (let second = 0; second < 60; second += 1) series.commit(at(minute, second), entries(10));
    }
    const minutes = series.advanceTo(at(7));
    // More than turnstiles let in within ten seconds.
    expect(lots.map(({ count }) => count)).toEqual([100, 100, 100, 100, 100, 100]);
    expect(minutes.map(({ sectors }) => sectors[0]?.lots)).toEqual([600, 0, 0, 0, 0, 0, 0]);
    expect(series.bestRate(0)).toBe(600);
  });

  test.each([1, 2])('is not what goes on after a restart in minute %i, either', (restarted) => {
    const enter = (series: FlowSeries, fromMs: number, toMs: number): void => {
      for (let ms = fromMs; ms < toMs; ms += SECOND_MS) series.commit(ms, entries(2));
    };
    const before = observeOne();
    enter(before, at(0), at(restarted, 20));
    const recorded = before.advanceTo(at(restarted));
    expect(recorded.map(({ sectors }) => sectors[0]?.lots)).toEqual([120, 0].slice(0, restarted));
    const after = new FlowSeries({ sectorCount: 1 });
    after.begin(at(restarted, 30), rows(before.totals[0]?.admitted ?? 0));
    after.restore(recorded);
    enter(after, at(restarted, 30), at(restarted + 2));
    const minutes = after.advanceTo(at(restarted + 2));
    expect(minutes.map(({ sectors }) => sectors[0]?.lots)).toEqual([0, 0]);
  });

  test('counts at once, and in no rate and no peak', () => {
    const lots: LateBatch[] = [];
    const series = observeOne((batch) => lots.push(batch));
    for (let minute = 0; minute < 5; minute += 1) series.commit(at(minute, 1), entries(10));
    series.commit(at(4, 30), entries(412));
    expect(lots).toEqual([{ sector: 0, atMs: at(4, 30), count: 412 }]);
    expect(series.totals[0]?.admitted).toBe(562);
    expect(series.advanceTo(at(5)).at(-1)?.sectors[0]).toMatchObject({ net: 422, entered: 422, lots: 412 });
    expect(series.bestRate(0)).toBe(10);
    expect(series.flow(at(4), 0)).toBe(10);
  });

  test('can be all entries of a minute, and all that were taken back in one', () => {
    const lots: LateBatch[] = [];
    const series = observeOne((batch) => lots.push(batch));
    for (let second = 0; second < 50; second += 1) series.commit(at(0, second), entries(2));
    for (let second = 0; second < 50; second += 1) series.commit(at(1, second), entries(-2));
    series.advanceTo(at(2));
    expect(lots).toEqual([
      { sector: 0, atMs: at(0), count: 100 },
      { sector: 0, atMs: at(1), count: -100 },
    ]);
    expect(series.flow(at(0))).toBe(0);
  });
});

describe('after a stop, in a sector that let in 29 a minute', () => {
  const STOPPED_AT = 10;
  const RESUMED_AT = 16;

  function stopped(lots: LateBatch[]): FlowSeries {
    const series = new FlowSeries({ sectorCount: 1, onLateBatch: (batch) => lots.push(batch) });
    series.begin(at(0), [{ admitted: 0, valid: 4_680 }]);
    series.advanceTo(at(0));
    for (let minute = 0; minute < STOPPED_AT; minute += 1) {
      for (let second = 0; second < 58; second += 2) series.commit(at(minute, second), entries(1));
      series.advanceTo(at(minute + 1));
    }
    series.advanceTo(at(RESUMED_AT));
    return series;
  }

  test('those who waited and get in one after the other, 195 in a minute, are people, at once in rate and peak', () => {
    const lots: LateBatch[] = [];
    const series = stopped(lots);
    for (let reading = 0; reading < 195; reading += 1)
      series.commit(at(RESUMED_AT) + Math.floor((reading * MINUTE_MS) / 195), entries(1));
    expect(series.advanceTo(at(RESUMED_AT + 1)).at(-1)?.sectors[0]).toMatchObject({ net: 195, lots: 0 });
    expect(series.flow(at(RESUMED_AT), 0)).toBe(195);
    expect(lots).toEqual([]);
  });

  test.each([
    ['one commit', [195]],
    ['one commit after the other, within seconds', Array.from({ length: 195 }, () => 1)],
    ['some commits', [60, 60, 75]],
  ])('195 readings that come at once, in %s, are a late batch, in no rate and no peak', (_, commits) => {
    const lots: LateBatch[] = [];
    const series = stopped(lots);
    for (const [place, count] of commits.entries())
      series.commit(at(RESUMED_AT, 10) + place * 25, entries(count));
    for (let second = 20; second < 50; second += 2) series.commit(at(RESUMED_AT, second), entries(1));
    expect(series.advanceTo(at(RESUMED_AT + 1)).at(-1)?.sectors[0]).toMatchObject({ net: 210, lots: 195 });
    expect(lots).toEqual([{ sector: 0, atMs: at(RESUMED_AT, 10) + (commits.length - 1) * 25, count: 195 }]);
    expect(series.flow(at(RESUMED_AT), 0)).toBe(15);
    expect(series.flowBetween(at(RESUMED_AT), at(RESUMED_AT, 20), 0)).toBe(0);
    series.advanceTo(at(RESUMED_AT + 5));
    expect(series.bestRate(0)).toBe(29);
  });

  test('a gate system that sends once a minute has a rate from its second minute on', () => {
    const lots: LateBatch[] = [];
    const series = stopped(lots);
    for (let minute = 0; minute < 12; minute += 1) {
      series.commit(at(RESUMED_AT + minute, 5), entries(190));
      series.advanceTo(at(RESUMED_AT + minute + 1));
    }
    expect(lots.map(({ count }) => count)).toEqual([190]);
    expect(series.bestRate(0)).toBe(190);
  });
});

test('totals and minutes of another number of sectors are refused, and so is a commit before the totals', () => {
  const series = new FlowSeries({ sectorCount: 2 });
  expect(() => series.commit(at(0), entries(1))).toThrow('before the totals');
  expect(() => series.begin(at(0), rows(1))).toThrow('totals of 1 sectors, not of 2');
  expect(() => series.restore([{ minuteMs: at(0), sectors: [] }])).toThrow('a minute of 0 sectors, not of 2');
  expect(series.advanceTo(at(9))).toEqual([]);
  expect(series.lastBoundaryMs).toBeUndefined();
  series.begin(at(0, 1), rows(1, 2));
  expect(() => series.commit(at(0), entries(1, 2))).toThrow('no sector 2');
  expect(series.lastBoundaryMs).toBe(at(0));
});
