import { expect, test } from 'vitest';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { drawnKey } from './use-drawn-view.ts';
import { usualKey } from './use-usual-curve.ts';

const view = matchView({ atMin: -24, earlierMatches: 12 });

test('the curve is redrawn for a new minute, entry, bucket or status, and for nothing else', () => {
  const { state } = view;
  const key = drawnKey(view);
  const later = (ms: number) => ({ ...view, state: { ...state, nowMs: state.nowMs + ms } });
  expect(drawnKey({ ...later(1_000), state: structuredClone(later(1_000).state) })).toBe(key);
  const at = { atMs: MATCH_KICK_OFF_MS - 30 * MINUTE_MS };
  const others = [
    later(10_000),
    matchView({ atMin: -23, earlierMatches: 12 }),
    matchView({ atMin: -24, earlierMatches: 12, isLive: false }),
    matchView({ atMin: -24, earlierMatches: 12, log: [entryOf('occurrence', { text: 'x' }, at)] }),
    { ...view, replay: { atMs: state.nowMs } },
    { ...view, state: { ...state, times: { ...state.times, kickOffAtMs: MATCH_KICK_OFF_MS + 60_000 } } },
  ];
  expect(new Set([key, ...others.map(drawnKey)]).size).toBe(others.length + 1);
});

test('the usual curve is read again when there are more earlier matches, and not each second', () => {
  const key = usualKey(view, null);
  expect(usualKey(matchView({ atMin: -20, earlierMatches: 12 }), null)).toBe(key);
  expect(usualKey(matchView({ atMin: -24, earlierMatches: 11 }), null)).not.toBe(key);
  expect(usualKey(matchView({ atMin: -24 }), null)).not.toBe(key);
});
