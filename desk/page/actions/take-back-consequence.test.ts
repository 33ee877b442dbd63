import { expect, test } from 'vitest';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import type { LogEntry } from '../../model/log/flow-log.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { consequenceOf } from './take-back-consequence.ts';

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;

/** What is said before the last entry of this log is taken back. */
function before(...log: LogEntry[]): string | null {
  const view = matchView({ atMin: -24, log });
  const entry = view.log.at(-1);
  return entry ? consequenceOf(entry, entry.kind === 'mark' ? 'ended' : undefined, view) : null;
}

test('the end of a mark asks for an estimate only where it has none', () => {
  const mark = (data: object) =>
    entryOf('mark', { mark: 'unscanned', ...data }, { atMs: at(-40), sector: '4' });
  expect(before(mark({}))).toMatch(/até o fim do jogo, e a previsão precisa de uma estimativa\.$/);
  expect(before(mark({ estimate: { count: 150, how: 'a olho' } }))).toMatch(
    /até o fim do jogo, e a estimativa continua a valer: ~150 sem leitura \(Ana: “a olho”\)\.$/,
  );
});
