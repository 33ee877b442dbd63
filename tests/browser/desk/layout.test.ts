import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../../testing/durations.ts';
import { scrolls, sizes, smallControls } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery } from '../../../testing/browser/open-gallery.ts';
import { newPage } from '../../../testing/browser/test-page.ts';
import { until } from '../../../testing/until.ts';

const gallery = openForAll(openGallery);

const SCREENS = sizes(
  IS_FULL
    ? '320×640 390×844 768×1024 900×1200 1280×720 1920×900 1920×1080 3840×2160'
    : '320×640 768×1024 1920×1080',
);

/** The lowest edge of these elements. */
function lowest(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .evaluateAll((parts) => Math.max(...parts.map((part) => part.getBoundingClientRect().bottom)));
}

test('nothing of the desk is wider than the screen, from a phone to a wall', async () => {
  const page = await gallery.show('match');
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height });
    await until(async () => {
      const { sideways, down } = await scrolls(page);
      expect([width, sideways, down && width >= 1920]).toEqual([width, false, false]);
    });
    const beyond = await page.locator('body *').evaluateAll((elements) =>
      elements
        .filter((element) => {
          const { left, right, width: wide } = element.getBoundingClientRect();
          return (
            wide > 1 && getComputedStyle(element).clipPath === 'none' && (left < -1 || right > innerWidth + 1)
          );
        })
        .map((element) => element.className || element.tagName),
    );
    expect([width, beyond]).toEqual([width, []]);
  }
});

test('readings outside the count stand above the desk, which still fits the screen', async () => {
  const page = await gallery.show('readings-kept');
  expect(await page.locator('.notices').innerText()).toMatch(
    /Leituras fora da contagem: 12 sem setor; nos últimos 10 min, 3 recusadas \(3 mensagens inválidas\)\.$/,
  );
  expect(await scrolls(page)).toMatchObject({ sideways: false, down: false });
});

test('however much is said above it, the curve is drawn as one: its column scrolls where there is no room', async () => {
  for (const [width, height] of sizes(IS_FULL ? '1920×1080 1920×950 1366×768 390×844' : '1366×768 390×844')) {
    const page = await gallery.show('estimated-sectors', { viewport: { width, height } });
    const column = page.locator('.desk-right');
    await until(async () => {
      const { boxHeight, ticks, risePx } = await column.evaluate((element) => {
        const path = element.querySelector('.curve-line')?.getAttribute('d') ?? '';
        const heights = path.split(/[ML]/).flatMap((spot) => (spot ? [Number(spot.split(',')[1])] : []));
        return {
          boxHeight: element.querySelector('.curve-box')?.getBoundingClientRect().height ?? 0,
          ticks: [...element.querySelectorAll('.curve-drawing [data-kind=tick]')].map(
            ({ textContent }) => textContent,
          ),
          risePx: Math.max(...heights) - Math.min(...heights),
        };
      });
      expect([width, height, boxHeight >= 180]).toEqual([width, height, true]);
      // Two of people who are in, and one of people a minute.
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(risePx).toBeGreaterThan(10);
    });
    expect((await scrolls(page)).sideways).toBe(false);
    const button = page.getByRole('button', { name: 'voltar a um minuto' });
    await button.scrollIntoViewIfNeeded();
    const { bottom, screenBottom } = await button.evaluate((element) => ({
      bottom: element.getBoundingClientRect().bottom,
      screenBottom: innerHeight,
    }));
    expect([width, height, bottom <= screenBottom]).toEqual([width, height, true]);
  }
  const full = await gallery.show('put-off-start');
  await until(async () => {
    expect((await full.locator('.curve-box').boundingBox())?.height).toBeGreaterThanOrEqual(180);
    expect(await lowest(full, '.curve-box, .curve-replay button')).toBeLessThanOrEqual(1080);
  });
});

test('on a laptop the rows and the answer are seen without scrolling, with many alarms as well', async () => {
  const views = ['six-unlike', 'put-off-start', 'wordy-rows', 'twelve-earlier', 'unread-sectors'] as const;
  for (const view of views.slice(0, IS_FULL ? 5 : 3)) {
    const page = await gallery.show(view, { viewport: { width: 1366, height: 768 } });
    const bottom = await lowest(page, '.rows tbody tr, .answer, .actions-panel button, .alarm:first-child');
    expect([view, bottom <= 768]).toEqual([view, true]);
  }
});

test('no row and no button moves when a notice appears above them, nor when the connection is lost', async () => {
  for (const [width, height] of sizes(IS_FULL ? '390×844 1366×768 1920×1080' : '390×844 1920×1080')) {
    const page = await gallery.show('twelve-earlier', { viewport: { width, height } });
    const button = width < 900 ? '.actions-opener' : '.actions-buttons button';
    const places = () =>
      page
        .locator(`.rows tbody tr, .desk-alarms, .strip button, ${button}`)
        .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().top)));
    const before = await places();
    await changeStandIn(page, (standIn) => {
      standIn.record = { state: { kind: 'away', reason: '' }, isKept: true, minutesWaiting: 3 };
      standIn.readings = [{ outcome: 'refused', reason: 'message', count: 3 }];
    });
    await page.getByText('nada pode ser lançado agora').waitFor();
    expect(await page.locator('.notices .notice').count()).toBe(2);
    expect([width, await places()]).toEqual([width, before]);
    await changeStandIn(page, (standIn) => (standIn.status = { kind: 'no-source', ageMs: 130_000 }));
    await until(async () => expect(await page.locator('#status').innerText()).toMatch('desatualizada'));
    expect([width, await places()]).toEqual([width, before]);
  }
});

test('a desk without its record says so on one line of a laptop, and not that nothing is recorded', async () => {
  const page = await gallery.show('no-earlier', { viewport: { width: 1366, height: 768 } });
  await changeStandIn(page, (standIn) => {
    standIn.isUnread = true;
    standIn.rows.length = 0;
  });
  const notice = page.locator('.notice', { hasText: 'SEM O REGISTRO' });
  await notice.waitFor();
  expect(await notice.evaluate((element) => element.getClientRects().length)).toBe(1);
  expect(await page.locator('.log-panel').innerText()).toMatch(/^registro\s+sem o registro$/);
});

test('a phone reaches the actions from anywhere on the page, and they hide nothing at its end', async () => {
  const page = await gallery.show('six-alarms', { viewport: { width: 390, height: 844 } });
  const opener = page.getByRole('button', { name: 'lançar' });
  for (const share of [0, 0.5, 1]) {
    await page.evaluate((part) => window.scrollTo(0, part * document.documentElement.scrollHeight), share);
    const box = await opener.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    expect(box?.height).toBeGreaterThanOrEqual(44);
    const isOnTop = await opener.evaluate((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === button;
    });
    expect(isOnTop).toBe(true);
  }
  const actions = page.locator('.desk-actions');
  expect(await lowest(page, '.log')).toBeLessThanOrEqual((await actions.boundingBox())?.y ?? 0);

  const names = ['ocorrência', 'marcar setor', 'mudar início', 'encerrar entrada', 'evacuação'];
  const buttons = names.map((name) => actions.getByRole('button', { name }));
  for (const button of buttons) expect(await button.isVisible()).toBe(false);
  await opener.click();
  for (const button of buttons) expect(await button.isVisible()).toBe(true);
  expect(await smallControls(page, '.desk-actions', 44)).toEqual([]);
  const occurrence = actions.getByRole('button', { name: 'ocorrência' });
  await occurrence.click();
  await page.getByLabel('o que houve').fill('chuva');
  await page.getByRole('button', { name: 'registrar', exact: true }).click();
  await page.getByText('ocorrência registrada').waitFor();
  expect(await occurrence.isVisible()).toBe(false);
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
  await opener.press('Enter');
  // What has the focus is outlined as a whole.
  const room = await page.locator('.actions-opener').evaluate((button) => {
    const clip = button.closest('.actions-panel')?.getBoundingClientRect();
    const { left, right, top, bottom } = button.getBoundingClientRect();
    return clip ? [left - clip.left, clip.right - right, top - clip.top, clip.bottom - bottom] : [0];
  });
  expect(Math.min(...room)).toBeGreaterThanOrEqual(4);
  await page.keyboard.press('Escape');
  expect(await opener.getAttribute('aria-expanded')).toBe('false');
});

test('no button takes the place of another: neither once the entry is closed, nor under the buttons of a dialog', async () => {
  for (const [width, height] of sizes('320×640 390×844 1366×768 1920×1080')) {
    const page = await gallery.show('match', { viewport: { width, height } });
    const opener = page.getByRole('button', { name: 'lançar' });
    const actions = page.locator('.actions-panel');
    const evacuation = actions.getByRole('button', { name: 'evacuação' });
    const boxes = (selector: string) =>
      page.locator(selector).evaluateAll((buttons) =>
        buttons.map((button) => {
          const { left, right, top, bottom } = button.getBoundingClientRect();
          return { name: button.textContent, left, right, top, bottom };
        }),
      );
    if (width < 900) await opener.click();
    const given = await boxes('.actions-buttons button');
    await actions.getByRole('button', { name: 'marcar setor' }).click();
    const under = (await boxes('.desk-dialog-foot button')).flatMap((over) =>
      given.filter(
        (button) =>
          button.left < over.right &&
          over.left < button.right &&
          button.top < over.bottom &&
          over.top < button.bottom,
      ),
    );
    expect([width, under]).toEqual([width, []]);
    await page.keyboard.press('Escape');
    const before = await evacuation.boundingBox();
    await actions.getByRole('button', { name: 'encerrar entrada' }).click();
    await page.getByRole('button', { name: 'encerrar a entrada' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    if (width < 900) await opener.click();
    await until(async () =>
      expect(await actions.getByRole('button', { name: 'encerrar entrada' }).count()).toBe(0),
    );
    // What was recorded is said above it for a while, which moves a phone's buttons up.
    const after = await evacuation.boundingBox();
    expect([width, after?.x]).toEqual([width, before?.x]);
  }
});

test('before the first sign-in nothing is said to be connecting', async () => {
  const page = await gallery.show('sign-in');
  const status = page.locator('#status');
  await until(async () => expect(await status.innerText()).toBe('ao vivo'));
  await changeStandIn(page, (standIn) => (standIn.status = { kind: 'connecting' }));
  await until(async () => expect(await status.innerText()).toBe(''));
  await page.getByLabel('Nome').fill('Ana');
  await page.getByLabel('Chave').fill('chave');
  await page.getByRole('button', { name: 'entrar' }).click();
  await until(async () => expect(await status.innerText()).toBe('conectando'));
});

test('what is scrolled to lies above the edge of the actions, shadow and outline included', async () => {
  const page = await gallery.show('six-alarms', { viewport: { width: 1366, height: 768 } });
  const actions = await page.locator('.desk-actions').boundingBox();
  const padding = await page.evaluate(() => getComputedStyle(document.documentElement).scrollPaddingBottom);
  expect(parseFloat(padding)).toBeGreaterThanOrEqual((actions?.height ?? Infinity) + 20);
});

test('at the end of a phone’s page no notice is covered by the actions below it, and no entry by a notice', async () => {
  const page = await gallery.show('readings-kept', { viewport: { width: 390, height: 844 } });
  await changeStandIn(page, (standIn) => {
    standIn.record = { state: { kind: 'away', reason: '' }, isKept: true, minutesWaiting: 3 };
  });
  await page.getByText('nada pode ser lançado agora').waitFor();
  // The page grows with its notices.
  await until(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    const actions = await page.locator('.desk-actions').boundingBox();
    expect(await lowest(page, '.notices .notice')).toBeLessThanOrEqual((actions?.y ?? 0) + 1);
    const notices = await page.locator('.notices').boundingBox();
    expect(await lowest(page, '.log')).toBeLessThanOrEqual(notices?.y ?? 0);
  });
});

test('a phone has the parts in the order of the officer, and the actions at the bottom', async () => {
  const page = await gallery.show('match', { viewport: { width: 390, height: 844 } });
  const areas = ['alarms', 'answer', 'total', 'rows', 'curve', 'log', 'actions'];
  const tops = await page.evaluate(
    (names) =>
      names.map((name) => document.querySelector(`.desk-${name}`)?.getBoundingClientRect().top ?? NaN),
    areas,
  );
  expect(tops.slice(0, -1).every((top, place) => place === 0 || top > (tops[place - 1] ?? NaN))).toBe(true);
  expect(tops.at(-1)).toBeLessThan(844);
  expect(await page.locator('.rows tbody .row-sparkline').first().isVisible()).toBe(true);
});

test('at twice the size of letters nothing is wider than the screen', async () => {
  const page = await gallery.show('match', { viewport: { width: 640, height: 480 } });
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  expect((await scrolls(page)).sideways).toBe(false);
  await page.evaluate(() => (document.documentElement.style.fontSize = ''));
});

test('thirteen of the longest names and six alarms stand on a screen of 1080 px, in forced colours as well', async () => {
  const page = await gallery.show('long-names');
  expect(await page.locator('.alarm[data-state=calling]').count()).toBe(6);
  for (const forcedColors of ['none', 'active'] as const) {
    await page.emulateMedia({ forcedColors });
    expect(await scrolls(page)).toEqual({ sideways: false, down: false });
    const beyond = await page.evaluate(() => {
      const place = document.querySelector('.desk-alarms');
      const bottom = place?.getBoundingClientRect().bottom ?? 0;
      return {
        isScrolled: (place?.scrollHeight ?? 0) > (place?.clientHeight ?? 0),
        parts: [...(place?.querySelectorAll('.alarm, .alarm-watch') ?? [])].filter(
          (part) => part.getBoundingClientRect().bottom > bottom + 1,
        ).length,
      };
    });
    expect(beyond).toEqual({ isScrolled: false, parts: 0 });
  }
});

test('the refusal of a mark goes with the choice that was refused, and with the dialog, however that is left', async () => {
  const { page } = await newPage(gallery.browser);
  await page.goto(`${gallery.url}/gallery?view=stopped-sector&answer=refused`);
  const fromCard = page.locator('.alarm').getByRole('button', { name: /^marcar setor/ });
  await fromCard.press('Enter');
  const dialog = page.getByRole('dialog');
  const refusal = dialog.getByText(/^Não registrado: isto já vale/);
  const refuse = async () => {
    await dialog.getByRole('button', { name: 'marcar', exact: true }).click();
    await refusal.waitFor();
  };
  await dialog.getByText('entrada liberada sem leitura').click();
  await refuse();
  await dialog.getByText('entrada suspensa').click();
  expect(await refusal.count()).toBe(0);
  await refuse();
  await dialog.getByRole('combobox').selectOption({ label: 'NORTE' });
  expect(await refusal.count()).toBe(0);
  await refuse();
  await page.locator('.actions-panel').getByRole('button', { name: 'ocorrência' }).click();
  await dialog.getByRole('textbox').waitFor();
  await fromCard.press('Enter');
  await dialog.getByRole('combobox').waitFor();
  expect(await refusal.count()).toBe(0);
});

test('a mark begins with the sector of the card that opens it, whatever was chosen before, and not with another operator’s choice', async () => {
  const page = await gallery.show('stopped-sector');
  const dialog = page.getByRole('dialog');
  const sector = dialog.getByRole('combobox').locator('option:checked');
  const fromFoot = () => page.locator('.actions-panel').getByRole('button', { name: 'marcar setor' }).click();
  const fromCard = () =>
    page
      .locator('.alarm')
      .getByRole('button', { name: /^marcar setor/ })
      .click();
  const choose = async (label: string) => {
    await dialog.getByRole('combobox').selectOption({ label });
    await dialog.getByLabel(/^entrada suspensa/).check();
    await dialog.getByLabel('desde').fill('18:20');
    await page.keyboard.press('Escape');
  };
  await fromFoot();
  await choose('NORTE');
  await fromCard();
  expect(await sector.innerText()).toBe('SUL DORIL');
  expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0);
  expect(await dialog.getByLabel('desde').inputValue()).not.toBe('18:20');
  await dialog.getByText('Marcar vale como “ciente” do alarme de SUL DORIL.').waitFor();
  await dialog.getByRole('combobox').selectOption({ label: 'NORTE' });
  await dialog.getByText('O alarme de SUL DORIL continua sem “ciente”.').waitFor();
  await choose('NORTE');
  await fromCard();
  expect(await sector.innerText()).toBe('SUL DORIL');
  await page.keyboard.press('Escape');
  await fromFoot();
  expect(await sector.innerText()).toBe('NORTE');
  expect(await dialog.getByLabel('desde').inputValue()).toBe('18:20');
  await page.keyboard.press('Escape');

  await page.getByTitle('operador desta mesa').click();
  await page.getByRole('button', { name: 'trocar operador' }).click();
  await page.getByLabel('Nome de quem assume').fill('Bia');
  await page.getByRole('button', { name: 'assumir' }).click();
  await page.getByTitle('operador desta mesa').getByText('Bia').waitFor();
  await fromFoot();
  expect(await sector.innerText()).toBe('escolha o setor');
});

test('what became of a command, and its buttons, stay in sight below whatever a dialog asks; the sector is named once it is closed', async () => {
  const { page } = await newPage(gallery.browser);
  await page.clock.install();
  await page.goto(`${gallery.url}/gallery?view=stopped-sector&answer=unknown`);
  await page.getByRole('button', { name: 'evacuação' }).waitFor();
  const dialog = page.getByRole('dialog');
  const inSight = (words: RegExp | string) => async () => {
    const text = dialog.locator('.desk-dialog-foot').getByText(words, { exact: true });
    await text.waitFor();
    const [box, frame] = [await text.boundingBox(), await dialog.boundingBox()];
    const bottom = Math.min((frame?.y ?? 0) + (frame?.height ?? 0), page.viewportSize()?.height ?? 0);
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(bottom);
  };
  const onEach = async (check: () => Promise<void>) => {
    for (const [width, height] of sizes(IS_FULL ? '390×844 1366×768 1920×1080' : '390×844 1366×768')) {
      await page.setViewportSize({ width, height });
      await check();
    }
  };
  await page
    .locator('.alarm')
    .getByRole('button', { name: /^marcar setor/ })
    .press('Enter');
  await dialog.getByText('entrada liberada sem leitura').click();
  const since = await dialog.getByLabel('desde').inputValue();
  await onEach(inSight('marcar'));
  await dialog.getByRole('button', { name: 'marcar', exact: true }).click();
  await onEach(inSight(/^registrando…/));
  for (let s = 0; s < 65; s += 5) await page.clock.runFor(5_000);
  await onEach(inSight('descartar'));
  await page.keyboard.press('Escape');
  const unanswered = page.locator('.unanswered');
  expect(await unanswered.innerText()).toMatch(/^não registrado, dado às [\d:]+: marcar setor · SUL DORIL/);
  await onEach(async () => {
    const firstLine = await unanswered.locator('.notice').evaluate((notice) => {
      const words = document.createRange();
      words.selectNodeContents(notice);
      const top = notice.getBoundingClientRect().top + parseFloat(getComputedStyle(notice).paddingTop);
      return (words.getClientRects()[0]?.top ?? NaN) - top;
    });
    expect(firstLine).toBeLessThan(12);
  });

  // Somebody is read there meanwhile: another time would be proposed.
  await changeStandIn(page, (standIn) => {
    const view = standIn.view();
    const rows = view.state.rows.map((row) => ({ ...row, lastEntryAtMs: view.state.nowMs }));
    standIn.view = () => ({ ...view, state: { ...view.state, rows } });
  });
  await unanswered.getByRole('button', { name: 'ver' }).press('Enter');
  expect(await dialog.getByLabel('desde').inputValue()).toBe(since);
  await onEach(inSight('descartar'));
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('voltar');
});
