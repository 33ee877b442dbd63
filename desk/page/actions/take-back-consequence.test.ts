import { expect, test } from 'vitest';
import {
  entryOf,
  MATCH_KICK_OFF_MS,
  matchView,
  type MatchViewOptions,
} from '../../../testing/desk/match-view.ts';
import type { LogEntry } from '../../model/log/flow-log.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { afterMistake, consequenceOf } from './take-back-consequence.ts';

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;

/** What is said before the last entry of this log is taken back. */
function before(log: readonly LogEntry[], options: Partial<MatchViewOptions> = {}): string | null {
  const view = matchView({ atMin: -24, log, ...options });
  const entry = view.log.at(-1);
  return entry ? consequenceOf(entry, entry.kind === 'mark' ? 'ended' : undefined, view) : null;
}

test('the end of a mark says what the forecast does without an estimate only where it has none', () => {
  const mark = (data: object) =>
    entryOf('mark', { mark: 'unscanned', ...data }, { atMs: at(-40), sector: '4' });
  expect(before([mark({})])).toMatch(
    /até o fim do jogo, e sem uma estimativa a previsão é do resto do estádio, ou para\.$/,
  );
  expect(before([mark({ estimate: { count: 150, how: 'a olho' } })])).toMatch(
    /até o fim do jogo, e a estimativa continua a valer: ~150 sem leitura \(Ana: “a olho”\)\.$/,
  );
});

test('a mark that has ended, and that did not make the count incomplete, has no rule to bring back', () => {
  const mark = entryOf('mark', { mark: 'suspended' }, { atMs: at(-40), sector: '4' });
  const end = entryOf('take-back', { id: mark.id, why: 'ended' }, { atMs: at(-30) });
  const said = [[mark], [mark, end]].map((log) => {
    const view = matchView({ atMin: -24, log });
    const row = view.log.find(({ id }) => id === mark.id);
    return row && consequenceOf(row, 'mistake', view);
  });
  expect(said).toEqual([
    expect.stringMatching(/^Alarmes e previsão voltam a valer/),
    'A marca fica riscada no registro.',
  ]);
});

test('who gives the end of a mark that was called a mistake is told how to say that people did pass unread', () => {
  const wordsOf = (mark: 'unscanned' | 'suspended', why: 'ended' | 'mistake', first: 'ended' | 'mistake') => {
    const entry = entryOf('mark', { mark, sinceMs: at(-42) }, { atMs: at(-40), sector: '4' });
    const view = matchView({ atMin: -24, log: [entry] });
    const row = view.log.at(-1);
    return row && afterMistake(row, why, first, view);
  };
  expect(wordsOf('unscanned', 'ended', 'mistake')).toBe(
    'A contagem está outra vez como inteira. Se passaram pessoas sem leitura, marque o setor de novo, desde 18:18, e depois “acabou”.',
  );
  expect(wordsOf('unscanned', 'ended', 'ended')).toBeNull();
  expect(wordsOf('unscanned', 'mistake', 'mistake')).toBeNull();
  expect(wordsOf('suspended', 'ended', 'mistake')).toBeNull();
});

test('before an estimate is undone, the one that will hold is named', () => {
  const mark = entryOf('mark', { mark: 'unscanned' }, { atMs: at(-40), sector: '4' });
  const estimate = (count: number, min: number) =>
    entryOf('estimate', { mark: mark.id, count, how: 'a olho' }, { atMs: at(min) });
  const [first, second] = [estimate(150, -38), estimate(200, -35)];
  expect(before([mark, first])).toMatch(/^Fica sem estimativa: sem uma estimativa a previsão/);
  expect(before([mark, first, second])).toBe(
    'Volta a valer a de antes: ~150 sem leitura (Ana: “a olho”), das 18:22.',
  );
  const view = matchView({ atMin: -24, log: [mark, first, second] });
  const row = view.log.find(({ id }) => id === first.id);
  expect(row && consequenceOf(row, undefined, view)).toBe(
    'A estimativa que vale não muda: ~200 sem leitura (Ana: “a olho”), das 18:25.',
  );
});

test('before a kick-off is undone, the time that will hold is named, and how far away it is', () => {
  const kickOff = (min: number, atMin: number) =>
    entryOf('kick-off', { kickOffAtMs: at(min) }, { atMs: at(atMin) });
  const undo = (id: string, atMin: number) => entryOf('take-back', { id }, { atMs: at(atMin) });
  const first = kickOff(15, -50);
  expect(before([first])).toBe('Volta a valer o horário de antes: 19:00, daqui a 24 min.');
  expect(before([first, kickOff(30, -40)])).toBe('Volta a valer o horário de antes: 19:15, daqui a 39 min.');
  expect(before([first, undo(first.id, -45), kickOff(30, -40)])).toBe(
    'Volta a valer o horário de antes: 19:00, daqui a 24 min.',
  );
  expect(before([kickOff(30, -10)], { atMin: 3 })).toBe(
    'Volta a valer o horário de antes: 19:00, que já passou.',
  );
  const times = { gatesOpenAtMs: null, kickOffAtMs: null };
  expect(before([first], { times })).toBe('O início volta a não ter horário.');
});
