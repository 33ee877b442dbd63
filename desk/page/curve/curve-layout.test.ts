import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import { crowd } from '../../../testing/desk/recorded-match.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import type { Size } from './curve-frame.ts';
import { type CurveLayout, layOutCurve } from './curve-layout.ts';
import { curveModel } from './curve-model.ts';
import { crosses, isWithin, overlaps } from './place-labels.ts';

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;

const match = fc.record({
  atMin: fc.integer({ min: -140, max: 100 }),
  earlierMatches: fc.constantFrom<number>(0, 2, 5, 12),
  valid: fc.constantFrom<number>(1, 40, 800, 9_000, 64_000),
  capacity: fc.constantFrom<number | null>(null, 1, 900, 60_000),
  coming: fc.double({ min: 0, max: 1.2, noNaN: true }),
  centre: fc.integer({ min: -60, max: 10 }),
  movedMin: fc.constantFrom<number | null>(null, -20, 1, 15, 90),
  gapMin: fc.option(fc.tuple(fc.integer({ min: -100, max: -20 }), fc.integer({ min: 1, max: 15 })), {
    nil: null,
  }),
  occurrenceMin: fc.array(fc.integer({ min: -120, max: 60 }), { maxLength: 6 }),
  hasTimes: fc.boolean(),
});
/** The curve gets the width and, in rem, the height that the page has for it. */
const size = fc
  .record({
    width: fc.integer({ min: 288, max: 1_200 }),
    heightRem: fc.double({ min: 11.25, max: 50, noNaN: true }),
    remPx: fc.constantFrom(16, 20, 32),
  })
  .map(({ width, heightRem, remPx }): Size => ({ width, height: Math.round(heightRem * remPx), remPx }));

type Drawn = typeof match extends fc.Arbitrary<infer T> ? T : never;

function layoutOf(drawn: Drawn, box: Size): CurveLayout {
  const { atMin, earlierMatches, valid, coming, centre, movedMin, gapMin, occurrenceMin, hasTimes } = drawn;
  const isGapBefore = gapMin !== null && gapMin[0] + gapMin[1] < atMin;
  const moved =
    movedMin === null ? [] : [entryOf('kick-off', { kickOffAtMs: at(movedMin) }, { atMs: at(-110) })];
  const occurrences = occurrenceMin.map((min, index) =>
    entryOf('occurrence', { text: 'x' }, { atMs: at(min), id: `occurrence ${index}` }),
  );
  const view = matchView({
    atMin: Math.max(atMin, -129),
    earlierMatches,
    sectors: [
      { code: '4', valid, admittedAt: crowd(coming * valid, centre) },
      { code: '', valid: 0, admittedAt: () => 0 },
    ],
    ...(isGapBefore && { gapMin: [gapMin[0], gapMin[0] + gapMin[1]] as const }),
    ...(!hasTimes && { times: { gatesOpenAtMs: null, kickOffAtMs: null } }),
    log: [...moved, ...occurrences],
  });
  const total = { ...view.state.total, capacity: drawn.capacity };
  return layOutCurve(curveModel({ ...view, state: { ...view.state, total } }, null, view.usual), box);
}

test('no label or tick covers another, and every shape is within the box, for any match and size', () => {
  const numRuns = repetitions(300, 40);
  let drawnLabels = 0;
  fc.assert(
    fc.property(match, size, (drawn, box) => {
      const layout = layoutOf(drawn, box);
      const { linePath, bridgesPath, usualPath, rangePath, bars, gaps, markers } = layout;
      const labels = [...layout.moments, ...layout.labels, ...layout.times];
      drawnLabels += labels.length;
      for (const [index, label] of labels.entries()) {
        expect([label, isWithin(label, { x: 0, y: 0, ...box })]).toEqual([label, true]);
        const covered = labels.slice(index + 1).find((other) => overlaps(label, other));
        expect([label, covered]).toEqual([label, undefined]);
      }
      expect(layout.moments).toHaveLength(layout.lines.length);
      expect(layout.yTicks.length).toBeGreaterThanOrEqual(2);
      expect(layout.curve.height).toBeGreaterThan(2 * layout.lineHeight);
      for (const heights of [
        layout.yTicks.map(({ count }) => layout.y(count)),
        layout.rateTicks.map(({ count }) => layout.rate(count)),
      ]) {
        for (const [index, y] of heights.slice(1).entries()) {
          expect((heights[index] ?? NaN) - y).toBeGreaterThan(0.7 * layout.lineHeight);
        }
      }
      const numbers = [linePath, bridgesPath, usualPath, rangePath].join('').match(/[^MLZ,]+/g) ?? [];
      const most = Math.max(box.width, box.height);
      expect(numbers.filter((number) => !(Number(number) >= 0 && Number(number) <= most))).toEqual([]);
      const areas = [...bars, ...gaps];
      const isWrong = (bar: (typeof areas)[number]): boolean =>
        !(bar.width >= 0 && isWithin(bar, { x: 0, y: 0, ...box }));
      expect(areas.filter(isWrong)).toEqual([]);
      for (const [index, marker] of markers.entries())
        expect(marker.x - (markers[index - 1]?.x ?? -99)).toBeGreaterThanOrEqual((11 * box.remPx) / 16 - 0.1);
    }),
    { numRuns },
  );
  expect(drawnLabels).toBeGreaterThan(6 * numRuns);
});

test.each([
  [288, 320],
  [390, 340],
  [570, 430],
  [1_200, 600],
])(
  'at %i × %i every shape has its label, and the mean of earlier matches covers no line',
  (width, height) => {
    const log = [entryOf('kick-off', { kickOffAtMs: at(15) }, { atMs: at(-30) })];
    const view = matchView({ atMin: -24, earlierMatches: 12, gapMin: [-48, -45], log });
    const layout = layOutCurve(curveModel(view, null, view.usual), { width, height, remPx: 16 });
    const kinds = [...layout.moments, ...layout.labels].map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(
      [
        'gap',
        'gates',
        'heading',
        'kick-off',
        'needed',
        'planned',
        'range',
        'range',
        'usual',
        'valid',
      ].toSorted(),
    );
    for (const label of layout.moments) {
      const others = layout.lines.filter(({ kind }) => kind !== label.kind);
      const isCrossed = others.some(({ x, y }) =>
        // A line may begin right below a name.
        crosses({ ...label, height: label.height - 3 }, [
          { x, y },
          { x, y: height },
        ]),
      );
      expect([label, isCrossed]).toEqual([label, false]);
    }
    const usual = layout.labels.find(({ kind }) => kind === 'usual');
    const spots = (path: string) =>
      path
        .slice(1)
        .split('L')
        .map((pair) => {
          const [x = 0, y = 0] = pair.split(',').map(Number);
          return { x, y };
        });
    expect(usual && crosses(usual, spots(layout.usualPath))).toBe(false);
  },
);

test.each([
  [{ earlierMatches: 3, valid: 1_730, capacity: 8_992, centre: -2, movedMin: 90 }, 563, 269],
  [{ earlierMatches: 5, valid: 298, capacity: 8_994, centre: 3, movedMin: 1 }, 469, 319],
  [{ earlierMatches: 5, valid: 102, capacity: 8_994, centre: 10, movedMin: 15 }, 564, 622],
])('the number of the lower end never stands above that of the upper one: %j', (drawn, width, height) => {
  const rest = { atMin: 0, coming: 1.2, gapMin: null, occurrenceMin: [], hasTimes: true };
  const { labels } = layoutOf({ ...rest, ...drawn }, { width, height, remPx: 20 });
  const [high, low] = labels.filter(({ kind }) => kind === 'range');
  expect(Number(high?.text.replace('.', ''))).toBeGreaterThan(Number(low?.text.replace('.', '') ?? 0));
  // Where there is no room for both, the lower one is left out.
  expect(low?.y ?? Infinity).toBeGreaterThanOrEqual((high?.y ?? Infinity) + (high?.height ?? 0));
});

test('the usual curve, the range and the needed rate are drawn by the scales of the line', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12 });
  const model = curveModel(view, null, view.usual);
  const { usualPath, rangePath, needed, x, y, rate } = layOutCurve(model, {
    width: 900,
    height: 400,
    remPx: 16,
  });
  const spotsOf = (path: string): readonly (readonly number[])[] =>
    path
      .split(/[MLZ]/)
      .filter(Boolean)
      .map((pair) => pair.split(',').map(Number));
  const places: (readonly [number, number])[] = [
    ...(model.usual?.points ?? []).map(({ atMs, admitted }) => [x(atMs), y(admitted)] as const),
    ...(model.range?.edges ?? []).map(({ atMs, high }) => [x(atMs), y(high)] as const),
    ...(model.range?.edges ?? []).toReversed().map(({ atMs, low }) => [x(atMs), y(low)] as const),
  ];
  const drawn = [...spotsOf(usualPath), ...spotsOf(rangePath)];
  expect(drawn.length).toBeGreaterThan(100);
  expect(drawn).toEqual(places.map((spot) => spot.map((px) => expect.closeTo(px, 0) as number)));
  expect(needed?.y).toBeCloseTo(rate(model.needed?.perMinute ?? NaN), 0);
});

test('of signs that would cover each other the most urgent one stays, at its own time', () => {
  const log = [
    entryOf('occurrence', { text: 'x' }, { atMs: at(-62) }),
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-60), sector: '4' }),
    entryOf('kick-off', { kickOffAtMs: at(15) }, { atMs: at(-41) }),
    entryOf('evacuation', {}, { atMs: at(-40) }),
    entryOf('mark', { mark: 'elsewhere' }, { atMs: at(-39), sector: '7' }),
  ];
  const model = curveModel(matchView({ atMin: -24, log }), null, null);
  const { markers, x } = layOutCurve(model, { width: 390, height: 340, remPx: 16 });
  expect(markers.map(({ kind }) => kind)).toEqual(['caveat', 'evacuation']);
  expect(markers.map((marker) => marker.x)).toEqual([at(-60), at(-40)].map((ms) => expect.closeTo(x(ms), 0)));
});
