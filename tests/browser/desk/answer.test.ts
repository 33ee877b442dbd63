import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Minute, MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { VIEWS, type ViewName } from '../../../testing/gallery/views.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openGallery } from '../../../testing/browser/open-gallery.ts';
import { KICK_OFF_MS } from '../../../testing/desk/stand-in-desk.ts';
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

/** Compares the figures with the forecast of this view. */
async function expectAnswer(page: Page, view: DeskView): Promise<void> {
  const { state, minutes } = view;
  const { forecast } = state;
  if (forecast.kind === 'none' || !forecast.total) throw new Error('there is no forecast');
  const outlooks = forecast.total;
  const displayed = await figures(page);
  expect(await row(page, 'range')).toEqual(
    outlooks.map(({ range }) => {
      if ('why' in range) throw new Error(`no range: ${range.why}`);
      const [low = 0, high = 0] = [range.low, range.high].map((count) => Math.round(count / 100) * 100);
      return `${format(low)} – ${format(high)}`;
    }),
  );
  const [outlook] = outlooks;
  if (!outlook || 'why' in outlook.range) throw new Error('there is no range');
  const verdicts = await notes(page);
  expect(verdicts).toEqual(answerWords(view).verdicts.map(({ text }) => text));
  expect(verdicts.length).toBeLessThanOrEqual(2);
  const perMinute = meanOf(minutes.slice(-5));
  expect(displayed['agora (média 5)']).toBe(
    `${format(perMinute)}/min · costume ${format(outlook.usualPerMinute ?? NaN)}`,
  );
  const expected = Math.round(outlook.expected.count / 100) * 100;
  expect(displayed['ritmo necessário']).toMatch(new RegExp(`^\\d+/min para ${format(expected)} dentro$`));
  expect(
    Math.abs(Number.parseInt(displayed['ritmo necessário'] ?? '') - outlook.perMinuteNeeded),
  ).toBeLessThan(3);
  const late = outlook.lateness ?? Number.NaN;
  expect(displayed['chegada']).toMatch(
    late === 0 ? /^na hora/ : new RegExp(`^${Math.abs(late)} min .*mais ${late > 0 ? 'tarde' : 'cedo'}`),
  );
}

test('with twelve earlier matches the answer has the figures of the forecast, and ranges for postponed kick-offs', async () => {
  const { page, minutes } = await show('twelve-earlier');
  await expectAnswer(page, VIEWS['twelve-earlier'].open().view());
  expect(await page.locator('.ranges caption').innerText()).toContain(
    'em 8 de cada 10 jogos assim · 12 jogos',
  );
  const admitted = minutes.at(-1);
  expect(await page.locator('.total-admitted').innerText()).toBe(format(admitted ? admittedOf(admitted) : 0));
  expect(await page.locator('.total-facts').innerText()).toContain(`de ${format(VALID)} ingressos válidos`);
});

test.each([
  [0, 'no-earlier', /sem faixa: menos de 3 jogos anteriores/],
  [5, 'five-earlier', /como nos últimos 5 jogos/],
] as const)(
  'with %i earlier matches the table has the base of the range, or why there is none',
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
    const displayed = await figures(page);
    expect(displayed['ritmo necessário']?.includes('(todos os ingressos)')).toBe(earlierMatches < 3);
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

test('after kick-off the answer has the admissions at kick-off, and when the others will be in', async () => {
  const { page, minutes } = await show('after-kick-off');
  const atKickOff = minutes.find(({ minuteMs }) => minuteMs + MINUTE_MS === KICK_OFF_MS);
  expect((await figures(page))['dentro no início']).toMatch(
    new RegExp(`^${format(atKickOff ? admittedOf(atKickOff) : 0)} às`),
  );
  expect(await notes(page)).toEqual([
    expect.stringMatching(/^no ritmo de agora e como de costume, quase todos .* dentro às \d\d:\d\d$/),
  ]);
  expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
  expect(await page.locator('.curve-needed').count()).toBe(0);
  expect(await page.locator('.curve-drawing text[data-kind="kick-off"]').count()).toBe(1);
});
