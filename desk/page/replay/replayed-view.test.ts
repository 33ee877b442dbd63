import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import { replayedView } from './replayed-view.ts';

const AT_MIN = -40;
const atMs = MATCH_KICK_OFF_MS + AT_MIN * MINUTE_MS;
const entry = (text: string, ms: number) => entryOf('occurrence', { text }, { atMs: ms, id: text });
const log = [entry('before', atMs - 1), entry('then', atMs), entry('later', atMs + 1)];

test('it has the minutes and the log of that time, and nothing of what came later', () => {
  const then = matchView({ atMin: AT_MIN, earlierMatches: 9 });
  const now = matchView({ atMin: -10, earlierMatches: 9, log });
  const view = replayedView(now, then.state);
  expect(view.minutes).toEqual(then.minutes);
  expect(view.minutes.at(-1)?.minuteMs).toBe(atMs - MINUTE_MS);
  expect(view.log.map(({ id }) => id).slice(-2)).toEqual(['before', 'then']);
  expect(view).toMatchObject({ state: then.state, status: { kind: 'live' }, replay: { atMs } });
});

test('a minute that was not watched looks as a desk does whose source is away', () => {
  const then = matchView({ atMin: AT_MIN, isLive: false });
  const source = { live: false, ageMs: 3 * MINUTE_MS, reason: 'connecting' } as const;
  const view = replayedView(matchView({ atMin: -10 }), { ...then.state, source });
  expect(view.status).toEqual({ kind: 'no-source', ageMs: 3 * MINUTE_MS });
});
