import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { DeskState } from '../model/desk-state.ts';
import type { LogRow } from '../model/log/flow-log.ts';
import { type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { RecordDocument } from './record-document.tsx';
import type { RecordView } from './record-view.ts';

const KICK_OFF_MS = Date.UTC(2026, 10, 22, 22);
const SECTORS = [
  { code: '4', name: 'NORTE', stand: 'NORTE' },
  { code: '7', name: 'SUL DORIL', stand: 'SUL' },
];
const at = (min: number): number => KICK_OFF_MS + min * MINUTE_MS;

/** Ten admissions a minute in each sector, from 90 minutes before kick-off to 30 after it. */
const MINUTES: readonly Minute[] = Array.from({ length: 120 }, (_, index) => ({
  minuteMs: at(index - 90),
  sectors: [10, 10, 0].map((net) => ({
    admitted: (index + 1) * net,
    net,
    entered: net,
    reverted: 0,
    moved: 0,
    valid: net === 0 ? 0 : 1_500,
    lots: 0,
  })),
}));

interface Entry extends Partial<Pick<LogRow, 'id' | 'by' | 'sector' | 'source'>> {
  readonly kind: LogRow['kind'];
  readonly data: object;
  readonly min?: number;
}

function logOf(...entries: readonly Entry[]): LogRow[] {
  return entries.map(({ min = 0, ...entry }, index) =>
    Object.assign(
      { id: `row ${index}`, by: null, sector: null, source: 'live', previous: '' },
      { seq: index + 1, atMs: at(min), figures: { total: {}, sector: null } },
      entry,
    ),
  ) as unknown as LogRow[];
}

const totalsOf = (sectors: Minute['sectors']) => ({
  admitted: sectors.reduce((sum, { admitted }) => sum + admitted, 0),
  valid: sectors.reduce((sum, { valid }) => sum + valid, 0),
});

function print(more: { minutes?: readonly Minute[]; log?: readonly LogRow[]; state?: object } = {}): string {
  const { minutes = MINUTES, log = [] } = more;
  const state = {
    eventId: 'e'.repeat(32),
    timeZone: 'America/Sao_Paulo',
    nowMs: at(300),
    source: { live: true },
    total: {
      ...totalsOf(minutes.at(-1)?.sectors ?? []),
      capacity: null,
      lastEntryAtMs: at(29),
      incompleteSinceMs: null,
    },
    rows: (minutes.at(-1)?.sectors ?? []).map((sector) => totalsOf([sector])),
    marks: [],
    forecast: { kind: 'none', why: 'over' },
    times: { gatesOpenAtMs: at(-120), kickOffAtMs: KICK_OFF_MS, isKickOffOfDesk: false },
    entryClosedAtMs: null,
    evacuatedAtMs: null,
    lastMinuteMs: minutes.at(-1)?.minuteMs ?? null,
    record: { state: { kind: 'writer' }, isKept: true, minutesWaiting: 0 },
    ...more.state,
  } as unknown as DeskState;
  const csv = { to: 3, lines: 3, sha256: 'a'.repeat(64) };
  const view: RecordView = {
    desk: {
      state,
      minutes,
      log,
      sectors: SECTORS,
      status: { kind: 'live' },
      replay: null,
    },
    proof: { state, source: 'live', minutes: csv, log: { ...csv, lastLink: 'b'.repeat(64) } },
    usual: null,
    title: 'Triagem · Final',
    producedBy: 'Ana <Lúcia>',
  };
  return renderToStaticMarkup(createElement(RecordDocument, { view }));
}

function timesWithGates(gatesOpenAtMs: number): object {
  return { gatesOpenAtMs, kickOffAtMs: KICK_OFF_MS, isKickOffOfDesk: false };
}

/** The visible text, with a space between two elements. */
function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/\s+/g, ' ');
}

test('the summary and the sectors have the admissions at each moment, the peaks, and the absent', () => {
  const text = textOf(print());
  expect(text).toContain('Registro de acessos · 22/11/2026 · horários de America/Sao_Paulo');
  expect(text).toContain('ingressos válidos 3.000 não vieram 600 portões 17:00 início 19:00');
  expect(text).toContain('T−60 600 T−30 1.200 T−15 1.500 início 1.800 T+15 2.100 fim 2.400');
  expect(text).toContain('pico de 1 min 20 às 17:30 pico de 5 min 100 às 17:30 pico de 15 min 300 às 17:30');
  expect(text).toContain('50% às 18:30 90% às 19:18 95% às 19:24');
  expect(text).toContain('NORTE 1.500 300 600 750 900 1.050 1.200 300');
  expect(text).not.toContain('fora destes setores');
  expect(text).not.toContain('SIMULADO');
});

test('what is printed without the record says so before any figure', () => {
  const record = { state: { kind: 'away', reason: '' }, isKept: true, minutesWaiting: 0, isUnread: true };
  const text = textOf(print({ minutes: [], state: { record } }));
  expect(text).toMatch(/O registro não pôde ser lido: .* Nenhum minuto registrado/);
});

test('rows that count other codes than before stand in the record: minutes from before may be missing', () => {
  const started = (rows: string) => ({ kind: 'started', data: { version: '1', rows } }) as const;
  const words = /Outros setores desde \d\d:\d\d: os minutos de antes/;
  expect(textOf(print({ log: logOf(started('a'), started('b'), started('b')) }))).toMatch(words);
  expect(textOf(print({ log: logOf(started('a'), started('a')) }))).not.toMatch(words);
});

test('a permitted capacity that is changed stands in the record: an alarm may have ended by it', () => {
  const of = (count: number) => ({ kind: 'capacities', data: { permitted: { 4: count } } }) as const;
  expect(textOf(print({ log: logOf(of(300), of(320)) }))).toMatch(
    /Lotação permitida hora o quê nome declarado [\d:]+ lotação permitida: 300 em NORTE servidor [\d:]+ lotação permitida: NORTE 320 \(antes 300\) servidor/,
  );
});

test('the summary has what was read in batches, and apart from it what was taken back', () => {
  const lots = (...counts: readonly number[]): string =>
    textOf(print({ log: logOf(...counts.map((count) => ({ kind: 'lot', data: { count } }) as const)) }));
  expect(lots(168, 116)).toContain('leituras em lote 284 alarmes');
  expect(lots(168, -283, 116)).toContain('leituras em lote 284; 283 desfeitas alarmes');
});

test('a sector whose readings all came in one batch has no peak, and the print says why', () => {
  const minutes = MINUTES.map((minute, index) => ({
    ...minute,
    sectors: minute.sectors.map((sector, row) => {
      if (row !== 1) return sector;
      const lots = index === 60 ? 300 : 0;
      return { ...sector, net: lots, entered: lots, lots, admitted: index < 60 ? 0 : 300 };
    }),
  }));
  expect(textOf(print({ minutes }))).toContain('SUL DORIL só em lote só em lote só em lote 18:31');
});

test('a sector into which people were moved while inside has no peak, as nobody entered there', () => {
  const minutes = MINUTES.map((minute, index) => ({
    ...minute,
    sectors: minute.sectors.map((sector, place) => {
      if (place === 0) return sector;
      const moved = index === 60 && place === 2 ? 4 : 0;
      const admitted = index < 60 || place === 1 ? 0 : 4;
      return { ...sector, net: moved, entered: 0, moved, admitted, valid: 4 };
    }),
  }));
  expect(textOf(print({ minutes }))).toContain('fora destes setores nenhum nenhum nenhum');
});

test('a gap, a moment before the record began and a future one are stated as unknown', () => {
  const text = textOf(print({ minutes: MINUTES.slice(40, 70), state: { nowMs: at(-20) } }));
  expect(text).toContain('T−60 não conhecido T−30 1.200 T−15 ainda não início ainda não');
  expect(text).toContain('Parcial: até 18:40.');
  const late = print({ minutes: MINUTES.slice(40, 70) });
  expect(textOf(late)).toContain('50% às não conhecido');
  const gap = textOf(print({ minutes: MINUTES.filter((_, index) => index < 20 || index > 24) }));
  expect(gap).toContain('minutos não conhecidos 5');
  expect(gap).toContain('Não conhecido: 17:50 a 17:55.');
  // The gates' opening was not observed, and some were in by the first minute.
  const times = timesWithGates(at(-51) + 20_000);
  const unwatched = textOf(print({ minutes: MINUTES.slice(40), state: { times } }));
  expect(unwatched).toContain('minutos não conhecidos 1');
  expect(unwatched).toContain('Não conhecido: 18:09 a 18:10.');
  expect(unwatched).toContain('sem dados: 18:09–18:10');
  // The last quarter of an hour of the match is missing; its last minute has not ended.
  const early = textOf(print({ minutes: MINUTES.slice(0, 105), state: { nowMs: at(29) + 30_000 } }));
  expect(early).toContain('minutos não conhecidos 14');
  expect(early).toContain('Não conhecido: 19:15 a 19:29.');
  const nothing = textOf(print({ minutes: [] }));
  expect(nothing).toContain('Nenhum minuto registrado');
  expect(nothing).toContain('início não conhecido');
});

test('each entry has its operator, and one that was taken back stays, and states it', () => {
  const html = print({
    log: logOf(
      {
        kind: 'alarm',
        id: 'a',
        sector: '7',
        min: -35,
        data: { rule: 'stopped', figures: { silentSinceMs: at(-37), before: 40, admitted: 1, valid: 2 } },
      },
      { kind: 'acknowledge', by: 'Ana', min: -34, data: { alarm: 'a', note: 'porta <1>' } },
      { kind: 'alarm-again', min: -32, data: { alarm: 'a', why: 'unresolved' } },
      { kind: 'alarm-returned', min: -31.5, data: { alarm: 'a', why: 'withdrawn' } },
      { kind: 'alarm-again', min: -31, data: { alarm: 'a', why: 'recurred', isSilent: true } },
      { kind: 'alarm-returned', min: -30, data: { alarm: 'a', why: 'resolved' } },
      {
        kind: 'mark',
        id: 'm',
        by: 'Bia',
        sector: '7',
        min: -27,
        data: { mark: 'unscanned', sinceMs: at(-29) },
      },
      { kind: 'take-back', by: 'Ana', min: -20, data: { id: 'm', why: 'ended' } },
      { kind: 'estimate', by: 'Rui', min: -15, data: { mark: 'm', count: 150, how: 'contagem manual' } },
      { kind: 'mark', id: 'n', by: 'Bia', sector: '4', min: -14, data: { mark: 'unscanned' } },
      { kind: 'estimate', by: 'Rui', min: -14, data: { mark: 'n', count: 80, how: 'a olho' } },
      { kind: 'take-back', by: 'Rui', min: -13.5, data: { id: 'n', why: 'ended' } },
      { kind: 'take-back', by: 'Ana', min: -13, data: { id: 'n', why: 'mistake' } },
      { kind: 'occurrence', id: 'o', by: 'Bia', min: -10, data: { text: 'fila no portão 7' } },
      { kind: 'interrupted', min: -5, data: { what: 'tickets', fromMs: at(-6), toMs: at(-5) } },
      {
        kind: 'forecast',
        id: 'f',
        min: -30,
        data: {
          minutesBefore: 30,
          kickOffAtMs: KICK_OFF_MS,
          expected: 2_000,
          perMinuteNeeded: 26.2,
          range: { low: 1_700, middle: 1_800, high: 1_900, matches: 9, coverage: 0.8 },
        },
      },
      { kind: 'outcome', data: { forecast: 'f', admitted: 1_800, isHeld: true } },
      {
        kind: 'forecast',
        id: 'g',
        min: -15,
        data: {
          minutesBefore: 15,
          kickOffAtMs: KICK_OFF_MS,
          expected: 1_000,
          // In floating point; 20 all the same, as on the desk.
          perMinuteNeeded: 20 + 1e-9,
          without: ['4'],
          range: { low: 700, middle: 800, high: 900, matches: 9, coverage: 0.8 },
        },
      },
      { kind: 'outcome', data: { forecast: 'g', admitted: null, isHeld: null, why: 'evacuated' } },
    ),
  });
  const text = textOf(html);
  // When it was raised; its words say since when it had been so.
  expect(text).toContain('hora alarme ciente fim 18:25 sem acessos registrados');
  expect(text).toContain('sem chamar (alarme suspenso) às 18:29');
  expect(text).toContain(
    'o alarme chama de novo às 18:28 18:26 Ana: “porta <1>” 18:28, retirado, não se sabe se voltou 18:30, voltou ao normal',
  );
  expect(text).toContain(
    '18:33 entrada liberada sem leitura · SUL DORIL, desde 18:31 ACABOU às 18:40 por Ana Bia',
  );
  expect(text).toContain('18:45 estimativa: ~150 sem leitura · SUL DORIL: “contagem manual” Rui');
  expect(text).toContain(
    'entrada liberada sem leitura · NORTE ACABOU às 18:46 por Rui FOI ENGANO às 18:47 por Ana Bia',
  );
  expect(text).toContain('~80 sem leitura · NORTE: “a olho” Rui');
  // Only the mistake and its estimate are struck through.
  expect(html.match(/<tr data-void="true">/g)).toHaveLength(2);
  expect(text).toContain('18:55 contagem interrompida por 1 min (18:54 a 18:55)');
  expect(text).toContain('18:50 “fila no portão 7” Bia');
  expect(text).toContain(
    '18:30 (T−30) 19:00 2.000 27/min 1.700 a 1.900 (80%), como em 9 jogos no mínimo 1.800 não conferida: contagem depois marcada como incompleta',
  );
  expect(text).toContain(
    '18:45 (T−15), sem NORTE 19:00 1.000 20/min 700 a 900 (80%), como em 9 jogos no mínimo 900 não conferida: evacuação',
  );
  expect(text).toContain('Contagem incompleta: SUL DORIL desde 18:31 até 18:40.');
  const uncounted = 'contagem incompleta desde 18:31 até 18:40 (~150 sem leitura)';
  expect(text).toContain(`SUL DORIL ${uncounted} 1.500`);
  expect(text).toContain(
    'Estimativa, fora da contagem: SUL DORIL ~150 sem leitura, por Rui: “contagem manual”.',
  );
  // Some of the absent of the ground and of that sector may be in.
  expect(text).toContain('não vieram no máximo 600');
  expect(text).toContain('50% às não conhecido');
  expect(text).toContain(`estádio ${uncounted} 3.000 600 1.200 ≥ 1.500 ≥ 1.800 ≥ 2.100 ≥ 2.400 ≤ 600`);
  expect(text).toContain('≥ 1.050 ≥ 1.200 ≤ 300');
  expect(text).toContain('NORTE 1.500 300 600 750 900 1.050 1.200 300');
  expect(text).toContain('Decisões Nada registrado.');
});

test('a forecast that a mistaken mark kept from being judged does not call the whole count incomplete', () => {
  const range = { low: 1_800, middle: 1_800, high: 1_800, matches: 9, coverage: 0.8 };
  const data = { minutesBefore: 30, kickOffAtMs: KICK_OFF_MS, expected: 2_000, perMinuteNeeded: 26, range };
  const text = textOf(
    print({
      log: logOf(
        { kind: 'forecast', id: 'f', min: -30, data },
        { kind: 'mark', id: 'm', sector: '7', min: -20, data: { mark: 'unscanned' } },
        { kind: 'outcome', data: { forecast: 'f', admitted: null, isHeld: null, why: 'incomplete' } },
        { kind: 'take-back', min: 10, data: { id: 'm', why: 'mistake' } },
      ),
    }),
  );
  expect(text).toContain(
    '1.800 (80%), como em 9 jogos 1.800 não conferida: contagem então marcada como incompleta',
  );
  expect(text).not.toContain('no mínimo 1.800');
});

test('a forecast for a kick-off that was changed has what is in the log, and one without a sector the number of the rest', () => {
  const range = { low: 1_700, middle: 1_800, high: 1_900, matches: 9, coverage: 0.8 };
  const data = { minutesBefore: 30, kickOffAtMs: KICK_OFF_MS, expected: 2_000, perMinuteNeeded: 26, range };
  const former = { ...data, kickOffAtMs: at(-15) };
  const log = logOf(
    { kind: 'forecast', id: 'f', min: -45, data: former },
    { kind: 'forecast', id: 'g', min: -30, data: { ...data, without: ['4'] } },
    { kind: 'outcome', data: { forecast: 'f', admitted: 1_500, isHeld: false } },
    { kind: 'outcome', data: { forecast: 'g', admitted: 1_800, isHeld: null } },
  );
  const text = textOf(print({ log }));
  expect(text).toContain('como em 9 jogos 1.500; não foi o início a faixa errou; o início mudou');
  expect(text).toContain('como em 9 jogos 900 não conferida');
  const times = { gatesOpenAtMs: at(-120), kickOffAtMs: null, isKickOffOfDesk: false };
  const without = textOf(print({ log, state: { times } }));
  expect(without.match(/não foi o início/g)).toHaveLength(2);
});

test('readings that wait for their tickets are stated', () => {
  const readings = [
    { outcome: 'kept', reason: 'ticket', count: 1_234 },
    { outcome: 'refused', reason: 'time', count: 7 },
  ];
  const text = textOf(print({ state: { readings } }));
  expect(text).toContain('Leituras de ingressos fora da lista, não contadas: 1.234.');
  expect(textOf(print({ state: { readings: readings.slice(1) } }))).not.toContain('não contadas');
});

test('a count is incomplete during its marks, also those of older desks; the ground’s is during any mark', () => {
  const mark = { kind: 'mark', data: { mark: 'unscanned' } } as const;
  const text = textOf(
    print({
      log: logOf(
        { ...mark, id: 'a', sector: '7', min: -50 },
        { ...mark, id: 'b', sector: '4', min: -45 },
        { kind: 'take-back', min: -40, data: { id: 'a' } },
        { kind: 'take-back', min: -35, data: { id: 'b' } },
        { ...mark, sector: '7', min: -10 },
      ),
    }),
  );
  const sul = 'desde 18:10 até 18:20 e desde 18:50';
  expect(text).toContain(`Contagem incompleta: SUL DORIL ${sul}, NORTE desde 18:15 até 18:25.`);
  expect(text).toContain(`SUL DORIL contagem incompleta ${sul} 1.500`);
  expect(text).toContain('estádio contagem incompleta desde 18:10 até 18:25 e desde 18:50 3.000');
  // More may have passed unread in one of the minutes than were read in the peak.
  expect(text).toContain('pico de 5 min no mínimo 100 às 17:30 pico de 15 min no mínimo 300 às 17:30');
});

test('during the match nobody counts as absent, and no share is of the final number', () => {
  const partial = (state: object) => textOf(print({ minutes: MINUTES.slice(0, 70), state }));
  for (const text of [
    partial({ nowMs: at(-20) }),
    // Without a kick-off, people still enter.
    partial({
      nowMs: at(-20),
      times: { gatesOpenAtMs: null, kickOffAtMs: null },
      total: { admitted: 1_400, valid: 3_000, capacity: null, lastEntryAtMs: at(-21) },
    }),
  ]) {
    expect(text).not.toMatch(/não vieram|95%|50%|90%/i);
    expect(text).toContain('Parcial: até 18:40. O jogo não acabou: nenhum número é o final.');
    expect(text).toContain('ingressos válidos 3.000 ainda não entraram às 18:40:00 1.600');
    expect(text).toContain('até 18:40 1.400');
    expect(text).toContain('T+15 até 18:40 ainda não entraram às 18:40:00');
    expect(text).not.toContain('fim');
  }
  const begun = textOf(print({ minutes: [], state: { nowMs: at(-20) } }));
  expect(begun).toContain('Parcial: até 18:40.');
  expect(begun).not.toMatch(/não vieram|95%/i);
  const cancelled = partial({
    nowMs: at(-20),
    total: { admitted: 1_400, valid: 3_000, invalid: 250, capacity: null, lastEntryAtMs: at(-21) },
    rows: [
      { code: '4', admitted: 700, valid: 1_500, invalid: 250 },
      { code: '7', admitted: 700, valid: 1_500 },
      { code: '', admitted: 0, valid: 0 },
    ],
  });
  expect(cancelled).toContain('ingressos válidos 3.000 ainda não entraram às 18:40:00 1.850');
  expect(cancelled).toMatch(/ NORTE 1\.500 [^A-Z]* 700 1\.050 SUL DORIL 1\.500 [^A-Z]* 700 800 /);
  // Forty tickets that are not valid have entered since the last minute ended.
  const since = partial({
    nowMs: at(-19),
    total: { admitted: 1_440, valid: 3_000, invalid: 40, capacity: null, lastEntryAtMs: at(-20) },
  });
  expect(since).toContain('ingressos válidos 3.000 ainda não entraram às 18:41:00 1.600');
  const uncounted = partial({
    nowMs: at(-20),
    source: { live: false, ageMs: 0, reason: 'connecting' },
    total: { admitted: 0, valid: 0, capacity: null, lastEntryAtMs: null },
  });
  expect(uncounted).toContain('ainda não entraram às 18:40:00 não conhecido');
  for (const nowMs of [at(119), at(120)]) {
    const text = textOf(print({ state: { nowMs } }));
    expect([nowMs, text.includes('não vieram 600'), text.includes('95% às')]).toEqual([
      nowMs,
      nowMs === at(120),
      nowMs === at(120),
    ]);
  }
});

test('a simulated match states it on every page, and the end states who made the record, and its hashes', () => {
  const html = print({
    log: logOf({ kind: 'started', source: 'simulated', data: { version: '1.0.0+c0ffee' } }),
  });
  expect(html).toContain('<article class="record" data-simulated="true">');
  const text = textOf(html);
  expect(text).toContain('SIMULADO: dados inventados, de nenhum jogo de verdade.');
  expect(text).toContain(`SIMULADO · Triagem · Final · ${'e'.repeat(32)}`);
  expect(text).toContain(
    'Triagem 1.0.0+c0ffee · produzido por Ana <Lúcia> (nome declarado) em 23/11/2026 00:00',
  );
  expect(text).toContain(`minutes.csv?to=3 · SHA-256 ${'a'.repeat(64)}`);
  expect(text).toContain(`último elo 3:${'b'.repeat(64)}`);
});

test('an evacuation, and a record in memory alone, are warnings; one that has ended is not struck through', () => {
  const html = print({
    log: logOf(
      { kind: 'entry-closed', id: 'c', by: 'Bia', min: 3, data: {} },
      { kind: 'take-back', by: 'Ana', min: 4, data: { id: 'c' } },
      { kind: 'evacuation', id: 'e', by: 'Bia', min: 5, data: {} },
      { kind: 'take-back', by: 'Ana', min: 9, data: { id: 'e' } },
    ),
    state: {
      evacuatedAtMs: at(5),
      record: { state: { kind: 'writer' }, isKept: false, minutesWaiting: 2 },
    },
  });
  const text = textOf(html);
  expect(html.match(/<tr data-void[^]*?<\/tr>/g)?.map(textOf)).toEqual([
    expect.stringContaining('entrada encerrada'),
  ]);
  expect(text).toContain('Evacuação às 19:05: acessos registrados, não pessoas presentes.');
  // As the buttons call it.
  expect(text).toContain('entrada encerrada ENTRADA REABERTA às 19:04 por Ana Bia');
  expect(text).toContain('EVACUAÇÃO EVACUAÇÃO RETIRADA às 19:09 por Ana Bia');
  expect(text).toContain('Registro só na memória do servidor');
  expect(text).toContain('Minutos ainda não gravados no banco de dados: 2.');
});
