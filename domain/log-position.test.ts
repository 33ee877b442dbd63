import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatPosition,
  isEarlier,
  isLogPosition,
  isShortTimeline,
  shortPosition,
  shortTimelineOf,
  systemOf,
  timelineOf,
  withPoint,
} from './log-position.ts';
import { withReturn } from './returned-primary.ts';

const anyTimeline = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 17 }), fc.integer({ min: 1, max: 0x1f_ffff })),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 17 }), fc.integer({ min: 0, max: 0xffff_ffff })),
  )
  .map(([own, rank]) => withReturn(own, { rank, by: 'Ana', atMs: 0 }));
const anyPlace = fc.record({
  systemId: fc.constantFrom('7580123456789012345', '7580123456789012346', '9'),
  timeline: anyTimeline,
  lsn: fc.oneof(
    fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
    fc.bigInt({ min: 0n, max: 17n }),
    fc.constantFrom(0xffff_ffffn, 1n << 32n),
  ),
});
const anyPosition = anyPlace.map(({ systemId, timeline, lsn }) => formatPosition(systemId, timeline, lsn));

test('a position has the digits of a log file name', () => {
  const position = formatPosition('7580123456789012345', 1, 0x16_00b3_74d8n);
  expect(position).toBe('7580123456789012345.000000010000001600B374D8');
  expect(withPoint(position, 5n)).toBe('7580123456789012345.000000010000000000000005');
});

test('a return to a former primary comes behind every timeline, and a promotion after it behind that', () => {
  const returned = { rank: 1, by: 'Ana', atMs: 0 };
  const position = formatPosition('7580123456789012345', withReturn(1, returned), 0x16_00b3_74d8n);
  expect(position).toBe('7580123456789012345.R00000001000000010000001600B374D8');
  expect(withPoint(position, 5n)).toBe('7580123456789012345.R00000001000000010000000000000005');
  expect(timelineOf(position)).toBe('R0000000100000001');
  expect(shortPosition(position)).toBe('1ll8xiaw0a6ih.R1111A1600B374D8');
  const ordered = [
    1,
    2,
    0x1f_ffff,
    ...[1, 0xffff_ffff].flatMap((rank) =>
      [1, 2, 0x1f_ffff].map((own) => withReturn(own, { ...returned, rank })),
    ),
  ];
  const positions = ordered.map((timeline) => formatPosition('9', timeline, 1n));
  expect(positions.toSorted()).toEqual(positions);
});

test('a short position has its timeline, and short timelines are ordered as positions', () => {
  expect(shortTimelineOf('1ll8xiaw0a6ih.11A1600B374D8')).toBe('1ll8xiaw0a6ih.11');
  expect(['1ll8xiaw0a6ih.11', '9.R1132F0'].map(isShortTimeline)).toEqual([true, true]);
  expect(
    ['9.11A1600B374D8', '9.1', '9.21', '9.', '9', '', '<b>.11', '9.R11', '9.R2132'].map(isShortTimeline),
  ).toEqual(Array(9).fill(false));
  fc.assert(
    fc.property(anyPosition, anyPosition, (one, other) => {
      const [head, headOfOther] = [one, other].map((position) => shortTimelineOf(shortPosition(position)));
      expect([one, other].map(isLogPosition)).toEqual([true, true]);
      expect([head, headOfOther].map((text) => isShortTimeline(text ?? ''))).toEqual([true, true]);
      const isLower = systemOf(one) === systemOf(other) && timelineOf(one) < timelineOf(other);
      expect(isEarlier(head ?? '', headOfOther ?? '')).toBe(isLower);
    }),
  );
});

test('invariant 6: positions of one system are in one order, first by timeline, then by LSN', () => {
  fc.assert(
    fc.property(anyPlace, anyPlace, (a, b) => {
      const isBefore = a.timeline === b.timeline ? a.lsn < b.lsn : a.timeline < b.timeline;
      const [one, other] = [a, b].map(({ systemId, timeline, lsn }) =>
        formatPosition(systemId, timeline, lsn),
      );
      expect(isEarlier(one ?? '', other ?? '')).toBe(a.systemId === b.systemId && isBefore);
    }),
  );
});

test('invariant 6: short positions are ordered as the positions are, and distinguish the same systems', () => {
  const position = formatPosition('7580123456789012345', 1, 0x16_00b3_74d8n);
  expect(shortPosition(position)).toBe('1ll8xiaw0a6ih.11A1600B374D8');
  fc.assert(
    fc.property(anyPosition, anyPosition, (one, other) => {
      const [short, shortOther] = [shortPosition(one), shortPosition(other)];
      expect(isEarlier(short, shortOther)).toBe(isEarlier(one, other));
      expect(systemOf(short) === systemOf(shortOther)).toBe(systemOf(one) === systemOf(other));
    }),
  );
});

test('invariant 6: a reader that takes only what is not earlier never goes back within a system', () => {
  fc.assert(
    fc.property(fc.array(anyPosition, { minLength: 1 }), (told) => {
      let shown = told[0] ?? '';
      for (const next of told) {
        const before = shown;
        if (!isEarlier(next, shown)) shown = next;
        expect(isEarlier(shown, before)).toBe(false);
      }
    }),
  );
});
