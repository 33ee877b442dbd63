import { expect, test } from 'vitest';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/alarm-view.ts';
import { watchLine, watchWords } from './watch-words.ts';

test('it says how many sectors flow and when they were looked at', () => {
  expect(watchWords(alarmView())).toBe('2 setores com acessos · verificado 18:36:10');
  const [row, ...others] = alarmView().state.rows;
  if (!row) throw new Error('unreachable: there are rows');
  expect(watchWords(alarmView({ rows: [{ ...row, state: 'quiet' }, ...others] }))).toBe(
    '1 de 2 setores com acessos · verificado 18:36:10',
  );
  expect(watchWords(alarmView({ rows: [{ ...row, state: 'dropped' }, ...others] }))).toBe(
    '2 setores com acessos · verificado 18:36:10',
  );
  const rows = alarmView().state.rows.map((each) => Object.assign({}, each, { state: 'stopped' }));
  expect(watchWords(alarmView({ rows }))).toBe('nenhum dos 2 setores com acessos · verificado 18:36:10');
});

test('of a sector of which the rules cannot tell, it does not say that nobody enters', () => {
  const states = (...said: readonly ('flowing' | 'unknown')[]) =>
    alarmView({
      rows: alarmView().state.rows.map((row, place) =>
        Object.assign({}, row, { state: said[place] ?? 'unknown' }),
      ),
    });
  expect(watchWords(states('flowing', 'unknown'))).toBe(
    '1 de 2 setores com acessos · 1 setor sem como verificar · verificado 18:36:10',
  );
  expect(watchWords(states('unknown', 'unknown'))).toBe('2 setores sem como verificar · verificado 18:36:10');
});

test('where nobody looks it says why, and counts no sector', () => {
  for (const waits of [
    'no-kick-off',
    'before-gates-open',
    'not-live',
    'entry-closed',
    'evacuated',
    'after-end',
  ] as const) {
    const words = watchWords(alarmView({ watch: { atMs: VIEW_NOW_MS, waits } }));
    expect(words).toMatch(/^fluxo não verificado/);
    expect(words).not.toMatch(/com acessos|18:36/);
  }
});

test('that there is no alarm comes first where somebody looks, else why nobody does', () => {
  expect(watchLine(alarmView())).toBe('nenhum alarme · 2 setores com acessos · verificado 18:36:10');
  const unwatched = alarmView({ watch: { atMs: VIEW_NOW_MS, waits: 'no-kick-off' } });
  expect(watchLine(unwatched)).toBe('fluxo não verificado: falta o horário do início · nenhum alarme');
  const alarms = [alarmOf('stopped')];
  expect(watchLine(alarmView({ alarms }))).toBe('2 setores com acessos · verificado 18:36:10');
  const stale = alarmView({}, { status: { kind: 'no-connection', ageMs: 9_000 } });
  expect(watchLine(stale)).not.toContain('nenhum alarme');
});

test('without data it says until when it was looked at', () => {
  const stale = alarmView({}, { status: { kind: 'no-connection', ageMs: 9_000 } });
  expect(watchWords(stale)).toBe('sem dados: alarmes não verificados desde 18:36:10');
});
