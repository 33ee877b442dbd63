import { expect, test } from 'vitest';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { headingWords, watchLine } from './watch-words.ts';

const NONE = 'nenhum alarme · contagem conferida 18:36:10';

test('the line has the number of flowing sectors and the time of verification', () => {
  expect(watchLine(alarmView())).toBe(`${NONE} · 2 setores com acessos`);
  const [row, ...others] = alarmView().state.rows;
  if (!row) throw new Error('unreachable: there are rows');
  expect(watchLine(alarmView({ rows: [{ ...row, state: 'quiet' }, ...others] }))).toBe(
    `${NONE} · 1 de 2 setores com acessos`,
  );
  expect(watchLine(alarmView({ rows: [{ ...row, state: 'dropped' }, ...others] }))).toBe(
    `${NONE} · 2 setores com acessos`,
  );
  const rows = alarmView().state.rows.map((each) => Object.assign({}, each, { state: 'stopped' }));
  expect(watchLine(alarmView({ rows }))).toBe(`${NONE} · nenhum dos 2 setores com acessos agora`);
});

test('an unknown sector is not counted as stopped', () => {
  const states = (...rowStates: readonly ('flowing' | 'unknown')[]) =>
    alarmView({
      rows: alarmView().state.rows.map((row, place) =>
        Object.assign({}, row, { state: rowStates[place] ?? 'unknown' }),
      ),
    });
  expect(watchLine(states('flowing', 'unknown'))).toBe(
    `${NONE} · 1 de 2 setores com acessos · sem como verificar: NORTE`,
  );
  expect(watchLine(states('unknown', 'unknown'))).toBe(`${NONE} · sem como verificar: SUL DORIL e NORTE`);
  const [row] = alarmView().state.rows;
  const rows = ['7', '4', '9', '11'].map((code) => Object.assign({}, row, { code, state: 'unknown' }));
  expect(watchLine(alarmView({ rows }))).toBe(`${NONE} · sem como verificar: SUL DORIL, NORTE e mais 2`);
});

test('a sector that no rule can verify yet, as after a restart, is counted as its row reads', () => {
  const lastEntryAtMs = VIEW_NOW_MS - 30_000;
  const rows = alarmView().state.rows.map((row) =>
    Object.assign({}, row, { state: 'unknown' as const, lastEntryAtMs }),
  );
  expect(watchLine(alarmView({ rows }))).toBe(`${NONE} · 2 setores com acessos`);
  const alarms = [alarmOf('stopped')];
  expect(watchLine(alarmView({ rows, alarms }))).toBe('1 de 2 setores com acessos · conferido 18:36:10');
});

test('a marked sector, to which the rules are not applied, is neither without accesses nor unverified', () => {
  const [flowing, marked] = alarmView().state.rows;
  if (!flowing || !marked) throw new Error('unreachable: there are rows');
  const mark = { id: '1', mark: 'suspended', sector: marked.code, sinceMs: VIEW_NOW_MS, by: 'Ana' } as const;
  const view = { rows: [flowing, { ...marked, state: 'unknown' as const }], marks: [mark] };
  expect(watchLine(alarmView(view))).toBe(`${NONE} · 1 setor com acessos · 1 setor marcado`);
});

test('where each sector is marked, or the whole ground, the flow is not verified', () => {
  const mark = { id: '1', mark: 'unscanned', sector: null, sinceMs: VIEW_NOW_MS, by: 'Ana' } as const;
  const rows = alarmView().state.rows.map((row) => Object.assign({}, row, { state: 'unknown' as const }));
  const marks = rows.map(({ code }) => ({ ...mark, sector: code }));
  for (const each of [[mark], marks])
    expect(watchLine(alarmView({ rows, marks: each }))).toBe(
      `fluxo não verificado: todos os setores estão marcados · ${NONE}`,
    );
});

test('where the rules are not applied, the line has the reason, and counts no sector', () => {
  for (const waits of [
    'no-kick-off',
    'before-gates-open',
    'not-live',
    'entry-closed',
    'evacuated',
    'after-end',
  ] as const) {
    const words = watchLine(alarmView({ watch: { atMs: VIEW_NOW_MS, waits } }));
    expect(words).toMatch(/^fluxo não verificado/);
    expect(words).not.toMatch(/com acessos/);
    expect(words.includes('nenhum alarme')).toBe(waits !== 'not-live' && waits !== 'evacuated');
  }
});

test('the absence of alarms comes first if the rules are applied, otherwise the reason', () => {
  const unwatched = alarmView({ watch: { atMs: VIEW_NOW_MS, waits: 'no-kick-off' } });
  expect(watchLine(unwatched)).toBe(`fluxo não verificado: falta o horário do início · ${NONE}`);
  const alarms = [alarmOf('stopped')];
  expect(watchLine(alarmView({ alarms }))).toBe('2 setores com acessos · conferido 18:36:10');
});

test('counts that are live again before the rules are applied to them are not called missing data', () => {
  const view = alarmView({ watch: { atMs: VIEW_NOW_MS, waits: 'not-live' } });
  expect(watchLine(view)).toBe('fluxo não verificado: a contagem acaba de voltar');
});

test('without data the line has the last time of verification', () => {
  const stale = alarmView({}, { status: { kind: 'no-connection', ageMs: 9_000 } });
  expect(watchLine(stale)).toBe('sem dados: alarmes não verificados desde 18:36:10');
});

test('after twenty seconds without data the alarms cannot be verified, and never is there none', () => {
  const heading = (ageMs: number, alarms = [] as ReturnType<typeof alarmOf>[], calling = 0) =>
    headingWords(alarmView({ alarms }, { status: { kind: 'no-connection', ageMs } }), calling);
  expect(headingWords(alarmView(), 0)).toBe('alarmes');
  expect(headingWords(alarmView({ alarms: [alarmOf('stopped')] }), 0)).toBe('alarmes · nenhum novo');
  expect(heading(19_999, [alarmOf('stopped')])).toBe('alarmes');
  expect(heading(20_000)).toBe('alarmes sem como verificar');
  expect(heading(20_000, [alarmOf('stopped')])).toBe('alarmes sem como verificar');
  expect(heading(20_000, [alarmOf('stopped')], 1)).toBe('alarmes sem como verificar · 1 novo');
  const unwatched = alarmView({ watch: { atMs: VIEW_NOW_MS, waits: 'not-live' } });
  expect(headingWords(unwatched, 0)).toBe('alarmes sem como verificar');
});
