import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPosition, isEarlier, shortPosition, systemOf, withPoint } from './log-position.ts';

const anyPlace = fc.record({
  systemId: fc.constantFrom('7580123456789012345', '7580123456789012346', '9'),
  timeline: fc.oneof(fc.integer({ min: 1, max: 17 }), fc.integer({ min: 1, max: 0xffff_ffff })),
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

test('invariant 6: short positions are ordered as the positions are, and tell the same systems apart', () => {
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

test('invariant 6: whoever takes only what is not earlier never goes back within a system', () => {
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
