import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Minute, MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { VIEWS, type ViewName } from '../../../testing/gallery/views.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery } from '../../../testing/browser/open-gallery.ts';
import { KICK_OFF_MS } from '../../../testing/desk/stand-in-desk.ts';
import { until } from '../../../testing/until.ts';
import { answerWords } from '../../../desk/page/answer/answer-words.ts';
import type { DeskView } from '../../../desk/page/desk-view.ts';

const TICKETS = 400;
const VALID = TICKETS * DEFAULT_VENUE.sectors.length;

const gallery = openForAll(openGallery);

async function show(view: ViewName) {
  return { page: await gallery.show(view), minutes: VIEWS[view].open().view().minutes };
}

const admittedOf = ({ sectors }: Minute): number => sectors.reduce((sum, { admitted }) => sum + admitted, 0);
const rateOf = ({ sectors }: Minute): number => sectors.reduce((sum, { net, lots }) => sum + net - lots, 0);
const format = (count: number): string => Math.round(count).toLocaleString('pt-BR');

/** "agora (média 5)" → "760/min · costume 740" */
async function figures(page: Page): Promise<Record<string, string>> {
  const texts = await page.locator('.answer-figures > div').allInnerTexts();
  return Object.fromEntries(texts.map((text) => text.split('\n', 2) as [string, string]));
}

const notes = (page: Page): Promise<string[]> => page.locator('.answer-note').allInnerTexts();
const row = async (page: Page, name: string): Promise<string[]> =>
  (await page.locator(`.ranges [data-row="${name}"] td`).allInnerTexts()).map((text) =>
    text.replaceAll(/\s+/g, ' '),
  );

const meanOf = (minutes: readonly Minute[]): number =>
  minutes.reduce((sum, minute) => sum + rateOf(minute), 0) / minutes.length;

/** What is needed, now, best, how late and who will be in are what the forecast of this view says. */
async function expectAnswer(page: Page, view: DeskView): Promise<void> {
  const { state, minutes } = view;
  const { forecast } = state;
  if (forecast.kind === 'none' || !forecast.total) throw new Error('there is no forecast');
  const outlooks = forecast.total;
  const shown = await figures(page);
  expect(await row(page, 'range')).toEqual(
    outlooks.map(({ range }) => {
      if ('why' in range) throw new Error(`no range: ${range.why}`);
      const [low = 0, high = 0] = [range.low, range.high].map((count) => Math.round(count / 100) * 100);
      return `${format(low)} – ${format(high)}`;
    }),
  );
  const [outlook] = outlooks;
  if (!outlook || 'why' in outlook.range) throw new Error('there is no range');
  const said = await notes(page);
  expect(said).toEqual(answerWords(view).verdicts.map(({ text }) => text));
  expect(said.length).toBeLessThanOrEqual(2);
  const perMinute = meanOf(minutes.slice(-5));
  expect(shown['agora (média 5)']).toBe(
    `${format(perMinute)}/min · costume ${format(outlook.usualPerMinute ?? NaN)}`,
  );
  const expected = Math.round(outlook.expected.count / 100) * 100;
  expect(shown['ritmo necessário']).toMatch(new RegExp(`^\\d+/min para ${format(expected)} dentro$`));
  expect(Math.abs(Number.parseInt(shown['ritmo necessário'] ?? '') - outlook.perMinuteNeeded)).toBeLessThan(
    3,
  );
  const late = outlook.lateness ?? Number.NaN;
  expect(shown['chegada']).toMatch(
    late === 0 ? /^na hora/ : new RegExp(`^${Math.abs(late)} min .*mais ${late > 0 ? 'tarde' : 'cedo'}`),
  );
}

test('with twelve earlier matches the answer is that of the forecast: needed, now, best, lateness, ranges if it is put off, and once it is', async () => {
  const { page, minutes } = await show('twelve-earlier');
  const desk = VIEWS['twelve-earlier'].open();
  await expectAnswer(page, desk.view());
  expect(await page.locator('.ranges caption').innerText()).toContain(
    'em 8 de cada 10 jogos assim · 12 jogos',
  );
  const admitted = minutes.at(-1);
  expect(await page.locator('.total-admitted').innerText()).toBe(format(admitted ? admittedOf(admitted) : 0));
  expect(await page.locator('.total-facts').innerText()).toContain(`de ${format(VALID)} ingressos válidos`);

  const putOff = (standIn: typeof desk): void => {
    const kickOffAtMs = standIn.nowMs + 44 * 60_000;
    standIn.command({ kind: 'kick-off', id: 'put-off', kickOffAtMs }, 'Bia');
  };
  await changeStandIn(page, putOff);
  putOff(desk);
  await until(() => expectAnswer(page, desk.view()));
});

test.each([
  [0, 'no-earlier', /sem faixa: menos de 3 jogos anteriores/],
  [2, 'two-earlier', /sem faixa: menos de 3 jogos anteriores/],
  [5, 'five-earlier', /como nos últimos 5 jogos/],
] as const)(
  'with %i earlier matches it is said what a range is made of, or why there is none',
  async (earlierMatches, view, words) => {
    const { page, minutes } = await show(view);
    const ranges = await row(page, 'range');
    expect(ranges).toHaveLength(earlierMatches < 3 ? 0 : 4);
    expect(await row(page, 'best')).toHaveLength(earlierMatches < 3 ? 4 : 0);
    expect(await page.locator('.ranges caption').innerText()).toMatch(words);
    expect(await page.locator('.curve-range').getAttribute('d')).toEqual(
      expect.stringMatching(earlierMatches < 3 ? /^$/ : /^M/),
    );
    expect(await page.locator('.curve-drawing [data-kind="usual"]').count()).toBe(earlierMatches < 3 ? 0 : 1);
    const shown = await figures(page);
    expect(shown['ritmo necessário']?.includes('(todos os ingressos)')).toBe(earlierMatches < 3);
    const needed = (await row(page, 'needed')).map((text) => Number.parseInt(text.replace('precisa ', '')));
    const last = minutes.at(-1);
    const missing = VALID - (last ? admittedOf(last) : 0);
    const leftMin = [0, 10, 15, 30].map((min) => 24 + min);
    const plain = leftMin.map((min) => missing / min);
    const isRight = needed.map((rate, index) => {
      const ofAll = plain[index] ?? 0;
      return earlierMatches < 3 ? Math.abs(rate - ofAll) < 4 : rate < ofAll;
    });
    expect([needed, plain, isRight]).toEqual([needed, plain, [true, true, true, true]]);
  },
);

test('an event without times has what needs none, and says what lacks', async () => {
  const { page, minutes } = await show('without-times');
  expect(await notes(page)).toEqual([expect.stringMatching(/^sem horário de início/)]);
  expect(Object.keys(await figures(page))).toEqual(['agora (média 5)']);
  expect(await page.locator('.ranges').count()).toBe(0);
  expect(await page.locator('.curve-moment').count()).toBe(0);
  expect(await page.locator('.curve-bars rect').count()).toBeGreaterThan(60);
  const last = minutes.at(-1);
  expect(await page.locator('.total-admitted').innerText()).toBe(format(last ? admittedOf(last) : 0));
});

test('before the gates open nobody is needed by the minute of a range, and the chart waits', async () => {
  const { page } = await show('before-gates');
  expect(await page.locator('.ranges caption').innerText()).toMatch(
    /a faixa aparece às \d\d:\d\d, duas horas antes/,
  );
  expect(await page.locator('.curve-drawing text[data-kind="gates"]').textContent()).toMatch(/^portões/);
  expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
});

test.each([
  [-10, 'after-kick-off', /^no ritmo de agora e como de costume, quase todos .* dentro às \d\d:\d\d$/],
  [-100, 'after-end', /^o início foi às \d\d:\d\d: não há mais previsão$/],
] as const)(
  '%i min to kick-off, %s, it is told who was in at kick-off, and when the rest will be, if they still come',
  async (_minutesToKickOff, view, words) => {
    const { page, minutes } = await show(view);
    const atKickOff = minutes.find(({ minuteMs }) => minuteMs + MINUTE_MS === KICK_OFF_MS);
    const shown = await figures(page);
    expect(shown['dentro no início']).toMatch(
      new RegExp(`^${format(atKickOff ? admittedOf(atKickOff) : 0)} às`),
    );
    expect(await notes(page)).toEqual([expect.stringMatching(words)]);
    expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
    expect(await page.locator('.curve-needed').count()).toBe(0);
    expect(await page.locator('.curve-drawing text[data-kind="kick-off"]').count()).toBe(1);
  },
);

test('marks, evacuation and a closed entry stand on the total and withdraw the forecast, a small sector its own part; an estimate, or that it was a mistake, brings it back', async () => {
  const { page } = await show('five-earlier');
  const name = DEFAULT_VENUE.sectors[11]?.name ?? '';
  await changeStandIn(page, (standIn) => {
    standIn.command({ kind: 'mark', id: 'mark', mark: 'unscanned', sector: '7' }, 'Bia');
  });
  await until(async () => {
    expect(await page.locator('.total .caveat').allInnerTexts()).toEqual([
      expect.stringContaining(`contagem incompleta: ${name} desde`),
    ]);
    expect(await page.locator('.total-facts').innerText()).toMatch(
      /no mínimo .*no máximo .* ainda não entraram/,
    );
    const shown = await figures(page);
    expect(Object.keys(shown).slice(0, 2)).toEqual([
      `ritmo necessário · sem ${name}`,
      `agora (média 5) · sem ${name}`,
    ]);
    expect(await page.locator('.ranges caption').innerText()).toContain(
      `dentro no início, sem ${name}, se for`,
    );
    expect(await row(page, 'range')).toHaveLength(4);
    expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
    expect(await page.locator('.curve-marker[data-kind="caveat"]').count()).toBeGreaterThan(0);
    expect(await page.locator('.curve .caveat').innerText()).toBe(
      await page.locator('.total .caveat').innerText(),
    );
  });
  await changeStandIn(page, (standIn) => {
    for (const sector of ['4', '5', '6'])
      standIn.command({ kind: 'mark', id: `mark ${sector}`, mark: 'unscanned', sector }, 'Bia');
  });
  await until(async () =>
    expect(await notes(page)).toEqual([
      expect.stringMatching(/^previsão retirada até haver uma estimativa: contagem incompleta: /),
    ]),
  );
  await changeStandIn(page, (standIn) => {
    for (const sector of ['4', '5', '6'])
      standIn.command(
        { kind: 'take-back', id: `back ${sector}`, entryId: `mark ${sector}`, why: 'mistake' },
        'Bia',
      );
    standIn.command({ kind: 'take-back', id: 'end', entryId: 'mark', why: 'ended' }, 'Bia');
    standIn.command({ kind: 'estimate', id: 'e', mark: 'mark', count: 150, how: 'a olho' }, 'Bia');
  });
  await until(async () => {
    expect(await page.locator('.total .doubt').allInnerTexts()).toEqual(['no mínimo']);
    expect(await page.locator('.total-estimate').innerText()).toMatch(/^[\d.]+ lidos \+ ~150 sem leitura$/);
    expect(await page.locator('.total .caveat').innerText()).toMatch(
      /desde \d\d:\d\d até \d\d:\d\d \(~150 sem leitura\)$/,
    );
    expect(await notes(page)).toContain('a previsão conta com a estimativa: ~150 sem leitura');
    expect(await page.locator('.curve-range').getAttribute('d')).toMatch(/^M/);
  });
  await changeStandIn(page, (standIn) => {
    standIn.command({ kind: 'take-back', id: 'back', entryId: 'mark', why: 'mistake' }, 'Bia');
  });
  await until(async () => {
    expect(await page.locator(':is(.total, .curve) .caveat').count()).toBe(0);
    expect(await page.locator('.curve-range').getAttribute('d')).toMatch(/^M/);
  });
  await changeStandIn(page, (standIn) => {
    standIn.command({ kind: 'entry-closed', id: 'closed' }, 'Bia');
  });
  await until(async () =>
    expect(await notes(page)).toEqual([expect.stringMatching(/^entrada encerrada às/)]),
  );
  await changeStandIn(page, (standIn) => {
    standIn.command({ kind: 'take-back', id: 'back again', entryId: 'closed' }, 'Bia');
    standIn.command({ kind: 'evacuation', id: 'evacuation' }, 'Bia');
  });
  await until(async () => {
    expect(await page.locator('#total-label').innerText()).toBe('acessos registrados, não pessoas presentes');
    expect(await notes(page)).toEqual([expect.stringMatching(/^evacuação às/)]);
  });
});

test('what is not live carries no rate and no range on, and comes back by itself', async () => {
  const { page } = await show('five-earlier');
  await changeStandIn(page, (standIn) => {
    standIn.status = { kind: 'no-connection', ageMs: 40_000 };
  });
  await until(async () => {
    expect(await notes(page)).toEqual([expect.stringMatching(/^sem dados desde \d\d:\d\d$/)]);
    expect(await page.locator('.ranges').count()).toBe(0);
    expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
    expect(await page.locator('.curve-needed').count()).toBe(0);
  });
  await changeStandIn(page, (standIn) => {
    standIn.status = { kind: 'live' };
  });
  await until(async () => expect(await page.locator('.ranges').count()).toBe(1));
});
