import { beforeAll, expect, test } from 'vitest';
import { compareAlarms, compareForecasts } from './histories/compare-log.ts';
import { quietly } from './histories/earlier-matches.ts';
import { HISTORIES } from './histories/histories.ts';
import type { MatchHistory } from './histories/match-history.ts';
import { type PlayedMatch, type PreparedHistory, prepareHistory } from './histories/play-history.ts';

/** Ten seconds of a match, at whose end the rules are applied, are a sixth of a second. */
const SPEED = 60;
/** Each with a server and a database of its own. */
const AT_A_TIME = 6;
/**
 * Where this machine lets everybody wait for longer, it has played another match than the one that was planned, and plays
 * it again: that depends on what was done to the board, and on nothing that the board did.
 */
const AS_PLANNED_MS = 45_000;
const ATTEMPTS = 3;

const played = new Map<MatchHistory, PlayedMatch>();

beforeAll(async () => {
  let left = HISTORIES;
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt += 1) {
    for (let from = 0; from < left.length; from += AT_A_TIME)
      await quietly(() => playTogether(left.slice(from, from + AT_A_TIME)));
    left = left.filter((history) => (played.get(history)?.lateMs ?? Infinity) > AS_PLANNED_MS);
  }
}, 900_000);

async function playTogether(histories: readonly MatchHistory[]): Promise<void> {
  const prepared: PreparedHistory[] = [];
  for (const history of histories) prepared.push(await prepareHistory(history, SPEED));
  const open = await Promise.all(prepared.map((history) => history.open()));
  await Promise.all(
    open.map(async (history, index) => {
      played.set(histories[index] as MatchHistory, await history.play());
      await history.close();
    }),
  );
}

test.each(HISTORIES)('of $what, the log says what docs/flow.md promises, in time, and no more', (history) => {
  const match = played.get(history);
  if (!match) throw new Error('it was not played');
  const { log, lateMs } = match;
  expect(lateMs, 'this machine let everybody wait: nothing can be said').toBeLessThanOrEqual(AS_PLANNED_MS);
  const { wrong, missing } = compareAlarms(history, match);
  expect({ wrong, missing }).toEqual({ wrong: [], missing: [] });
  expect(compareForecasts(history, match)).toEqual(history.forecasts ?? []);

  const linesOf = (kind: string) => log.filter((line) => line.kind === kind);
  const { lots = [], deeds = [] } = history;
  expect(linesOf('lot').map(({ sector }) => sector)).toEqual(lots.map(({ sector }) => sector));
  for (const [index, { between }] of lots.entries()) {
    const count = linesOf('lot')[index]?.data['count'];
    expect(count).toBeGreaterThanOrEqual(between[0]);
    expect(count).toBeLessThanOrEqual(between[1]);
  }
  const restarts = deeds.filter((deed) => 'restarts' in deed).length;
  expect(linesOf('started')).toHaveLength(1 + restarts);
  expect(linesOf('gap')).toHaveLength(restarts);
});
