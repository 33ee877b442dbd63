import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { PlainFlow } from '../../../testing/desk/plain-flow.ts';
import { FlowSeries, type SectorChange } from './flow-series.ts';
import type { LateBatch } from './late-batches.ts';
import { BUCKET_MS, MINUTE_MS, type Minute } from './minute.ts';

const SECTORS = 3;
const KEPT_BOUNDARIES_MS = 40 * MINUTE_MS;
const START_MS = Date.UTC(2026, 4, 3, 18, 0);

const anyCount = fc.oneof(
  { weight: 8, arbitrary: fc.nat(4) },
  { weight: 1, arbitrary: fc.integer({ min: 50, max: 70 }) },
  { weight: 1, arbitrary: fc.nat(3_000) },
);
const anyChange: fc.Arbitrary<SectorChange> = fc
  .record({
    sector: fc.nat(SECTORS - 1),
    entered: anyCount,
    reverted: anyCount,
    moved: fc.oneof(fc.constant(0), fc.integer({ min: -80, max: 80 })),
    valid: fc.integer({ min: -50, max: 2_000 }),
    invalid: fc.integer({ min: -50, max: 50 }),
  })
  .map((change) => Object.assign(change, { admitted: change.entered - change.reverted + change.moved }));
const anyTotals = fc.array(
  fc.record({ admitted: fc.nat(5_000), valid: fc.nat(5_000), invalid: fc.nat(500) }),
  { minLength: SECTORS, maxLength: SECTORS },
);
/** How far the clock goes on; sometimes it stands on a boundary. */
const anyPaceMs = fc.oneof(
  { weight: 12, arbitrary: fc.nat(14_000) },
  { weight: 6, arbitrary: fc.constantFrom(0, 10_000, 20_000, 60_000) },
  { weight: 2, arbitrary: fc.nat(300_000) },
);
const anyStepMs = fc.oneof(
  fc.integer({ min: -400_000, max: 400_000 }),
  fc.constantFrom(-3_600_000, 3_600_000, -60_000, 60_000, 2 * 86_400_000),
);
/** Of a commit against the clock. */
const anySkewMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: -15_000, max: 15_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -400_000, max: 400_000 }) },
);
const anyCall = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      call: fc.constant('commit' as const),
      skewMs: anySkewMs,
      changes: fc.uniqueArray(anyChange, { maxLength: SECTORS, selector: ({ sector }) => sector }),
    }),
  },
  { weight: 16, arbitrary: fc.record({ call: fc.constant('pass' as const), paceMs: anyPaceMs }) },
  {
    weight: 2,
    arbitrary: fc.record({ call: fc.constant('begin' as const), skewMs: anySkewMs, totals: anyTotals }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ call: fc.constant('interrupt' as const), paceMs: anyPaceMs, stepMs: anyStepMs }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ call: fc.constant('restore' as const), from: fc.nat(), count: fc.nat(8) }),
  },
  { weight: 1, arbitrary: fc.record({ call: fc.constant('restart' as const), lost: fc.nat(2) }) },
);

/** Both series, given the same calls. */
class Both {
  readonly lots: LateBatch[] = [];
  readonly series = new FlowSeries({ sectorCount: SECTORS, onLateBatch: (batch) => this.lots.push(batch) });
  readonly plain = new PlainFlow(SECTORS);

  tell(tell: (flow: FlowSeries | PlainFlow) => readonly Minute[] | void): readonly Minute[] {
    const minutes = tell(this.series) ?? [];
    expect(minutes).toEqual(tell(this.plain) ?? []);
    return minutes;
  }

  expectEqual(): void {
    expect(this.series.minutes(-Infinity, Infinity)).toEqual(this.plain.minutes);
    expect(this.series.totals).toEqual(this.plain.totals);
    expect(this.lots).toEqual(this.plain.lots);
    for (let sector = 0; sector < SECTORS; sector += 1) {
      expect(this.series.bestRate(sector)).toBe(this.plain.bestRate(sector));
    }
    const { boundaries } = this.plain;
    const lastBoundaryMs = this.series.lastBoundaryMs ?? 0;
    const isKept = (atMs: number) => atMs > lastBoundaryMs - KEPT_BOUNDARIES_MS && atMs <= lastBoundaryMs;
    for (const [atMs, observed] of boundaries) {
      if (!isKept(atMs)) continue;
      for (const [sector, { admitted }] of observed.entries()) {
        if (this.series.admittedAt(atMs, sector) !== admitted) expect.fail(`another count at ${atMs}`);
      }
    }
    for (let atMs = lastBoundaryMs; isKept(atMs); atMs -= BUCKET_MS) {
      // The end of a minute may be the record's.
      if (atMs % MINUTE_MS === 0 || boundaries.has(atMs)) continue;
      if (this.series.admittedAt(atMs, 0) !== undefined)
        expect.fail(`a count at ${atMs}, which was not observed`);
    }
  }
}

test('invariant 10: after any calls in any order, the series is what the plain one recounts', () => {
  fc.assert(
    fc.property(anyTotals, fc.array(anyCall, { maxLength: 120, size: 'max' }), (totals, calls) => {
      let nowMs = START_MS;
      let both = new Both();
      const record = new Map<number, Minute>();
      const write = (minutes: readonly Minute[]) => {
        for (const minute of minutes) record.set(minute.minuteMs, minute);
      };
      both.tell((flow) => flow.begin(nowMs, totals));
      for (const step of calls) {
        if (step.call === 'commit') both.tell((flow) => flow.commit(nowMs + step.skewMs, step.changes));
        if (step.call === 'begin') both.tell((flow) => flow.begin(nowMs + step.skewMs, step.totals));
        if (step.call === 'pass') {
          nowMs += step.paceMs;
          write(both.tell((flow) => flow.advanceTo(nowMs)));
        }
        if (step.call === 'interrupt') {
          const expectedMs = nowMs + step.paceMs;
          both.tell((flow) => flow.interrupt(expectedMs));
          nowMs = expectedMs + step.stepMs;
        }
        if (step.call === 'restore') {
          const minutes = [...record.values()];
          const from = minutes.length === 0 ? 0 : step.from % minutes.length;
          write(both.tell((flow) => flow.restore(minutes.slice(from, from + step.count))));
        }
        if (step.call === 'restart') {
          both.expectEqual();
          both = new Both();
          for (const minuteMs of [...record.keys()].slice(record.size - step.lost)) record.delete(minuteMs);
          both.tell((flow) => flow.begin(nowMs, totals));
        }
      }
      both.expectEqual();
    }),
    { numRuns: repetitions(200, 40) },
  );
});
