import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readEarlierMatch } from '../../../domain/flow/forecast/earlier-match.ts';
import { EarlierMatches } from '../../../domain/flow/forecast/earlier-matches.ts';
import type { Outlook } from '../../../domain/flow/forecast/forecast.ts';
import { makeForecast } from '../../../domain/flow/forecast/make-forecast.ts';
import { FlowSeries } from '../../../domain/flow/flow-series.ts';
import { readLogState } from '../../../domain/flow/log-state.ts';
import { BUCKET_MS, bucketOf, type Minute, MINUTE_MS } from '../../../domain/flow/minute.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { commandUntilAccepted, openDesk } from '../../../testing/desk-client.ts';
import { type DeskMatchOptions, playedMinutes, startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { serverEntry } from '../../../testing/match-in-record.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const TICKETS = 400;
const CODES = [...DEFAULT_VENUE.sectors.map(({ code }) => code), ''];
const VALID = TICKETS * (CODES.length - 1);
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

const browser = openForAll(launchBrowser);

async function openMatch(options: DeskMatchOptions = {}) {
  const match = await startDeskMatch({ tickets: TICKETS, ...options });
  const opened = await openDeskPage(browser, match.server.url);
  await opened.page.locator('.curve-drawing').waitFor();
  // The history is read behind the state.
  const { minutesToKickOff = 24 } = options;
  if (minutesToKickOff < 120)
    await opened.page.locator('.curve-bars rect').first().waitFor({ state: 'attached' });
  const minutes = playedMinutes({
    seed: 1,
    tickets: TICKETS,
    kickOffMs: match.kickOffMs,
    untilMin: -minutesToKickOff,
  });
  return { ...match, ...opened, minutes };
}

const admittedOf = ({ sectors }: Minute): number => sectors.reduce((sum, { admitted }) => sum + admitted, 0);
const rateOf = ({ sectors }: Minute): number => sectors.reduce((sum, { net, lots }) => sum + net - lots, 0);
const format = (count: number): string => Math.round(count).toLocaleString('pt-BR');

/** "agora (média 5)" → "760/min · melhor hoje 760" */
async function figures(page: Page): Promise<Record<string, string>> {
  const texts = await page.locator('.answer-figures > div').allInnerTexts();
  return Object.fromEntries(texts.map((text) => text.split('\n', 2) as [string, string]));
}

const notes = (page: Page): Promise<string[]> => page.locator('.answer-note').allInnerTexts();
const row = async (page: Page, name: string): Promise<string[]> =>
  (await page.locator(`.ranges [data-row="${name}"] td`).allInnerTexts()).map((text) =>
    text.replaceAll(/\s+/g, ' '),
  );

/** As today's server knows them, by the functions that it uses, of series of the test's own. */
function earlierOf(kickOffMs: number, count: number): EarlierMatches {
  const matches = Array.from({ length: count }, (_, n) => {
    const kickOffAtMs = kickOffMs - (n + 1) * WEEK_MS;
    const counts = playedMinutes({
      seed: 2 + n,
      tickets: TICKETS,
      kickOffMs: kickOffAtMs,
      untilMin: 62,
    }).flatMap(({ minuteMs, sectors }) =>
      sectors.map((sector, place) => ({ ...sector, minuteMs, sector: CODES[place] ?? '' })),
    );
    const match = readEarlierMatch({ eventId: `earlier ${n}`, counts, source: 'live', log: [], kickOffAtMs });
    if ('unfit' in match) throw new Error(match.unfit);
    return match;
  });
  return new EarlierMatches({ eventId: 'today', matches, codes: CODES, isSimulated: false });
}

/** The same minutes, and behind them so many in which nobody entered: those that pass while the test looks. */
function withQuiet(minutes: readonly Minute[], count: number): readonly Minute[] {
  const last = minutes.at(-1);
  if (!last) return minutes;
  const sectors = last.sectors.map((sector) => ({
    ...sector,
    net: 0,
    entered: 0,
    reverted: 0,
    moved: 0,
    lots: 0,
  }));
  const quiet = Array.from({ length: count }, (_, n) => ({
    minuteMs: last.minuteMs + (n + 1) * MINUTE_MS,
    sectors,
  }));
  return [...minutes, ...quiet];
}

/** With the minutes that may be known by then: one becomes so some seconds after its end. */
function quietMinutes(nowMs: number, minutes: readonly Minute[]): readonly (readonly Minute[])[] {
  const passed = Math.floor((nowMs - (minutes.at(-1)?.minuteMs ?? nowMs)) / MINUTE_MS) - 1;
  return [passed, passed - 1].filter((count) => count >= 0).map((count) => withQuiet(minutes, count));
}

interface Expected {
  readonly outlooks: readonly Outlook[];
  readonly lastFive: number;
  readonly best: number;
}

interface History {
  readonly minutes: readonly Minute[];
  readonly times: { readonly plannedKickOffMs: number; readonly kickOffMs: number };
  readonly earlier: EarlierMatches;
}

/** What the same histories say at a bucket. */
function expectedAt(nowMs: number, { minutes, times, earlier }: History): Expected {
  const series = new FlowSeries({ sectorCount: CODES.length });
  const totals = (minutes.at(-1)?.sectors ?? []).map(({ admitted }, place) => ({
    admitted,
    valid: place === CODES.length - 1 ? 0 : TICKETS,
  }));
  series.begin(nowMs, totals);
  series.restore(minutes);
  const forecast = makeForecast({
    nowMs,
    isLive: true,
    series,
    codes: CODES,
    log: {
      ...readLogState([
        serverEntry('times', 'times', { gatesOpenAtMs: null, kickOffAtMs: times.plannedKickOffMs }),
      ]),
      kickOffAtMs: times.kickOffMs,
    },
    earlier,
  });
  if (forecast.kind === 'none' || !forecast.total) throw new Error('there is no forecast');
  const fives = minutes.slice(4).map((_, index) => meanOf(minutes.slice(index, index + 5)));
  return { outlooks: forecast.total, lastFive: fives.at(-1) ?? Number.NaN, best: Math.max(...fives) };
}

const meanOf = (minutes: readonly Minute[]): number =>
  minutes.reduce((sum, minute) => sum + rateOf(minute), 0) / minutes.length;

/** Waits until what is needed, now, best, how late and who will be in are what this history says, whenever that is. */
async function expectAnswer(page: Page, history: History): Promise<void> {
  await until(async () => {
    const shown = await figures(page);
    const [ranges, most] = [await row(page, 'range'), await row(page, 'most')];
    // Made every ten seconds: of this bucket, or of the one before.
    const nowMs = bucketOf(Date.now());
    const candidates = [nowMs, nowMs - BUCKET_MS].flatMap((ms) =>
      quietMinutes(ms, history.minutes).map((known) => expectedAt(ms, { ...history, minutes: known })),
    );
    const isShown = candidates.map(({ outlooks }) =>
      outlooks.every(({ range }, index) => {
        if ('why' in range) return false;
        const ends = [range.low, range.high].map((count) => Math.round(count / 100) * 100);
        return ranges[index] === `${format(ends[0] ?? 0)} – ${format(ends[1] ?? 0)}`;
      }),
    );
    expect([ranges, isShown]).toEqual([ranges, expect.arrayContaining([true])]);
    const fitting = candidates.filter((_, index) => isShown[index]);
    const now = fitting.find(({ lastFive }) =>
      shown['agora (média 5)']?.startsWith(`${format(lastFive)}/min`),
    );
    const outlook = now?.outlooks[0];
    if (!now || !outlook || 'why' in outlook.range) throw new Error(`not of ${JSON.stringify(shown)}`);
    const bound = outlook.range.bound ?? 0;
    expect(most[0]).toBe(
      bound < VALID
        ? `no máximo ${format(Math.round(bound / 100) * 100)}`
        : `no máximo, todos os ${format(VALID)}`,
    );
    expect((await notes(page))[0]).toMatch(/^no máximo: [\d.]+ dentro \+ [\d,]+ min × [\d.]+\/min \(/);
    expect(shown['agora (média 5)']).toBe(`${format(now.lastFive)}/min · melhor hoje ${format(now.best)}`);
    const expected = Math.round(outlook.expected.count / 100) * 100;
    expect(shown['ritmo necessário']).toMatch(new RegExp(`^\\d+/min para ${format(expected)} dentro$`));
    expect(Math.abs(Number.parseInt(shown['ritmo necessário'] ?? '') - outlook.perMinuteNeeded)).toBeLessThan(
      3,
    );
    const late = outlook.lateness ?? Number.NaN;
    expect(shown['chegada']).toMatch(
      late === 0 ? /^na hora/ : new RegExp(`^${Math.abs(late)} min .*mais ${late > 0 ? 'tarde' : 'cedo'}`),
    );
  });
}

test(
  'with twelve earlier matches the answer is that of the same history: needed, now, best, lateness, ranges if it is put off, and once it is',
  async () => {
    const { page, server, minutes, kickOffMs } = await openMatch({ earlierMatches: 12, beginsEarly: true });
    const earlier = earlierOf(kickOffMs, 12);
    const history: History = { minutes, times: { plannedKickOffMs: kickOffMs, kickOffMs }, earlier };
    await expectAnswer(page, history);
    expect(await page.locator('.ranges caption').innerText()).toContain(
      'em 8 de cada 10 jogos assim · 12 jogos',
    );
    const admitted = minutes.at(-1);
    expect(await page.locator('.total-admitted').innerText()).toBe(
      format(admitted ? admittedOf(admitted) : 0),
    );
    expect(await page.locator('.total-facts').innerText()).toContain(`de ${format(VALID)} ingressos válidos`);

    const desk = await openDesk(server.url, { name: 'Bia', key: DESK_KEY });
    const movedMs = kickOffMs + 20 * MINUTE_MS;
    // The record's session may have been lost while this process, which is also the server, computed.
    await commandUntilAccepted(desk, { kind: 'kick-off', kickOffAtMs: movedMs, text: undefined });
    await expectAnswer(page, { ...history, times: { plannedKickOffMs: kickOffMs, kickOffMs: movedMs } });
  },
  3 * MINUTE_MS,
);

test.each([
  [0, /sem faixa: menos de 3 jogos anteriores/],
  [2, /sem faixa: menos de 3 jogos anteriores/],
  [5, /como nos últimos 5 jogos/],
])(
  'with %i earlier matches it is said what a range is made of, or why there is none',
  async (earlierMatches, words) => {
    const { page, kickOffMs, minutes } = await openMatch({ earlierMatches });
    const ranges = await row(page, 'range');
    expect(ranges.map((text) => text === '—')).toEqual(ranges.map(() => earlierMatches < 3));
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
    const leftMin = [0, 10, 15, 30].map((min) => (kickOffMs - Date.now()) / MINUTE_MS + min);
    const plain = leftMin.map((min) => missing / min);
    const isRight = needed.map((rate, index) => {
      const ofAll = plain[index] ?? 0;
      return earlierMatches < 3 ? Math.abs(rate - ofAll) < 4 : rate < ofAll;
    });
    expect([needed, plain, isRight]).toEqual([needed, plain, [true, true, true, true]]);
  },
);

test('an event without times has what needs none, and says what lacks', async () => {
  const { page, minutes } = await openMatch({ hasTimes: false, earlierMatches: 5 });
  expect(await notes(page)).toEqual([expect.stringMatching(/^sem horário de início/)]);
  expect(Object.keys(await figures(page))).toEqual(['agora (média 5)']);
  expect(await page.locator('.ranges').count()).toBe(0);
  expect(await page.locator('.curve-moment').count()).toBe(0);
  expect(await page.locator('.curve-bars rect').count()).toBeGreaterThan(60);
  const last = minutes.at(-1);
  expect(await page.locator('.total-admitted').innerText()).toBe(format(last ? admittedOf(last) : 0));
});

test('before the gates open nobody is needed by the minute of a range, and the chart waits', async () => {
  const { page } = await openMatch({ minutesToKickOff: 128, earlierMatches: 3 });
  expect(await page.locator('.ranges caption').innerText()).toMatch(
    /a faixa aparece às \d\d:\d\d, duas horas antes/,
  );
  expect(await page.locator('.curve-drawing text[data-kind="gates"]').textContent()).toMatch(/^portões/);
  expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
});

test.each([
  [-10, 'after kick-off'],
  [-100, 'after the end'],
])(
  '%i min to kick-off, %s, it is told who was in at kick-off, and nothing is forecast',
  async (minutesToKickOff) => {
    const { page, minutes, kickOffMs } = await openMatch({ minutesToKickOff, earlierMatches: 3 });
    const atKickOff = minutes.find(({ minuteMs }) => minuteMs + MINUTE_MS === kickOffMs);
    const shown = await figures(page);
    expect(shown['dentro no início']).toMatch(
      new RegExp(`^${format(atKickOff ? admittedOf(atKickOff) : 0)} às`),
    );
    expect(await notes(page)).toEqual([
      expect.stringMatching(/^o início foi às \d\d:\d\d: não há mais previsão$/),
    ]);
    expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
    expect(await page.locator('.curve-needed').count()).toBe(0);
    expect(await page.locator('.curve-drawing text[data-kind="kick-off"]').count()).toBe(1);
  },
);

test('marks, evacuation and a closed entry stand on the total and withdraw the forecast, and both come back', async () => {
  const { page, server } = await openMatch({ earlierMatches: 5 });
  const desk = await openDesk(server.url, { name: 'Bia', key: DESK_KEY });
  const command = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
    const id = crypto.randomUUID();
    const answer = await desk.command({ text: undefined, id, ...body });
    expect([body, answer.status]).toEqual([body, 200]);
    return id;
  };
  const name = DEFAULT_VENUE.sectors[11]?.name ?? '';
  const mark = await command({ kind: 'mark', mark: 'unscanned', sector: DEFAULT_VENUE.sectors[11]?.code });
  await until(async () => {
    expect(await page.locator('.total .taint').allInnerTexts()).toEqual([
      expect.stringContaining(`contagem incompleta: ${name} desde`),
    ]);
    expect(await page.locator('.total-facts').innerText()).toMatch(
      /no mínimo .*no máximo .* ainda não entraram/,
    );
    expect(await notes(page)).toEqual([
      expect.stringContaining(`previsão retirada: contagem incompleta: ${name}`),
    ]);
    expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
    expect(await page.locator('.curve-marker[data-kind="taint"]').count()).toBeGreaterThan(0);
    expect(await page.locator('.curve .taint').innerText()).toBe(
      await page.locator('.total .taint').innerText(),
    );
  });
  await command({ kind: 'take-back', entryId: mark });
  await until(async () => {
    expect(await page.locator(':is(.total, .curve) .taint').count()).toBe(0);
    expect(await page.locator('.curve-range').getAttribute('d')).toMatch(/^M/);
  });
  const closed = await command({ kind: 'entry-closed' });
  await until(async () =>
    expect(await notes(page)).toEqual([expect.stringMatching(/^entrada encerrada às/)]),
  );
  await command({ kind: 'take-back', entryId: closed });
  await command({ kind: 'evacuation' });
  await until(async () => {
    expect(await page.locator('#total-label').innerText()).toBe('acessos registrados, não pessoas presentes');
    expect(await notes(page)).toEqual([expect.stringMatching(/^evacuação às/)]);
  });
});

test('what is not live carries no rate and no range on, and comes back by itself', async () => {
  const { page } = await openMatch({ earlierMatches: 5 });
  await page.context().setOffline(true);
  await until(async () => {
    expect(await notes(page)).toEqual([expect.stringMatching(/^sem dados desde \d\d:\d\d$/)]);
    expect(await page.locator('.ranges').count()).toBe(0);
    expect(await page.locator('.curve-range').getAttribute('d')).toBe('');
    expect(await page.locator('.curve-needed').count()).toBe(0);
  }, 60_000);
  await page.context().setOffline(false);
  await until(async () => expect(await page.locator('.ranges').count()).toBe(1), 60_000);
});
