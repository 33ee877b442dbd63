import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { KICK_OFF_MS } from '../../../testing/desk/stand-in-desk.ts';
import { axeFaults } from '../../../testing/browser/axe.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { VIEWS } from '../../../testing/gallery/views.ts';
import { scrolls, smallControls } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery, sentCommands } from '../../../testing/browser/open-gallery.ts';
import { until } from '../../../testing/until.ts';

/** On a phone, and on a desk. */
const MIN_CONTROL_PX = [
  [390, 844, 44],
  [1920, 1080, 24],
] as const;
const CONTROLS = '.desk-alarms, .desk-log, .desk-actions, .desk-dialog';
const FILLING = ['1', '2', '3', '4', '5'];
const GATES_OPEN_MS = 120 * MINUTE_MS;

const gallery = openForAll(openGallery);

test('six alarms at once fit a wall without scrolling, and are acknowledged by keyboard one after the other', async () => {
  const page = await gallery.show('six-alarms');
  // The log, for which they leave no room, is a press away.
  expect(await page.locator('.log-panel').isVisible()).toBe(false);
  const log = page.getByRole('link', { name: 'registro: sem lugar abaixo dos alarmes' });
  expect(
    await log.evaluate(
      (link) =>
        document.elementFromPoint(
          link.getBoundingClientRect().left + 2,
          link.getBoundingClientRect().bottom - 2,
        ) === link,
    ),
  ).toBe(true);
  const calling = page.locator('.alarm[data-state=calling]');
  expect(await calling.count()).toBe(6);
  expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · 6 novos');
  expect(await page.title()).toMatch(/^\(6\) ▲/);
  await page.getByRole('alert').getByText('ACIMA DA CAPACIDADE').waitFor();
  await expectAllStand(page);

  await page.setViewportSize({ width: 1280, height: 720 });
  const evacuation = await page.getByRole('button', { name: 'evacuação' }).boundingBox();
  expect((evacuation?.y ?? Infinity) + (evacuation?.height ?? 0)).toBeLessThanOrEqual(720);
  expect(await page.locator('.alarm-advice:visible').count()).toBe(6);
  const heights = await page
    .locator('.rows tbody tr')
    .evaluateAll((rows) =>
      rows
        .filter((row) => row.querySelector('.row-states')?.childElementCount === 0)
        .map((row) => row.getBoundingClientRect().height),
    );
  expect(heights.length).toBeGreaterThan(0);
  expect(Math.max(...heights)).toBeLessThan(60);

  // A calling alarm stays visible wherever the page is scrolled to.
  const outOfSight = page.locator('.alarms-out-of-sight');
  for (const [width, height] of [
    [1280, 720],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await outOfSight.count()).toBe(0);
    await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
    await outOfSight.waitFor();
    expect(await outOfSight.innerText()).toMatch(/ACIMA DA CAPACIDADE · .+ e mais 5/);
    const box = await outOfSight.boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0, width });
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(IS_FULL ? await axeFaults(page) : []).toEqual([]);
    await outOfSight.click();
    await until(async () => expect(await outOfSight.count()).toBe(0));
    const first = await calling.first().boundingBox();
    expect(first?.y).toBeGreaterThanOrEqual(0);
    expect(first?.y).toBeLessThan(height);
  }
  await page.setViewportSize({ width: 1920, height: 1080 });

  await calling
    .nth(1)
    .getByRole('button', { name: /^suspender/ })
    .press('Enter');
  await page.getByRole('button', { name: 'marcar setor' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  for (const colorScheme of IS_FULL ? (['dark', 'light'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(page)).toEqual([]);
  }
  await expectControlsFit(page);
  await page.keyboard.press('Escape');
  await page.getByLabel('motivo').press('Escape');

  await calling
    .first()
    .getByRole('button', { name: /^ciente/ })
    .focus();
  // A finger that trembles acknowledges one alarm, and not the next one, which nobody has read.
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('Enter');
  await until(async () => expect(await calling.count()).toBe(5));
  for (let left = 4; left >= 0; left -= 1) {
    // It is not taken just after the focus went to this card by itself.
    await until(async () => {
      if ((await page.getByLabel(/^nota/).count()) === 0) await page.keyboard.press('Enter');
      expect(await page.getByLabel(/^nota/).count()).toBe(1);
    });
    await page.keyboard.type(`nota ${left}`);
    await page.keyboard.press('Enter');
    await until(async () => expect(await calling.count()).toBe(left));
  }
  await page.locator('.alarm').getByText('Feche a entrada e confira').first().waitFor();
  expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · nenhum novo');
  const notes = (await sentCommands(page)).map((command) => 'note' in command && command.note);
  expect(notes).toEqual([null, ...[4, 3, 2, 1, 0].map((left) => `nota ${left}`)]);
});

test.each([
  ['six-unlike', 390, 844],
  ['six-unlike', 1366, 768],
  ['six-unlike', 1920, 1080],
  ['stopped-sector', 390, 844],
] as const)(
  'two presses on one spot say "ciente" and no more, on each card and wherever on the button: %s at %i × %i',
  async (view, width, height) => {
    const page = await gallery.show(view, { viewport: { width, height } });
    const calling = page.locator('.alarm[data-state=calling]');
    let pressed = 0;
    for (let left = await calling.count(); left > 0; left -= 1) {
      const card = calling.last();
      const button = card.getByRole('button', { name: /^ciente/ });
      for (const [across, down] of [
        [0.1, 0.1],
        [0.9, 0.1],
        [0.1, 0.9],
        [0.9, 0.9],
      ] as const) {
        await button.scrollIntoViewIfNeeded();
        const { x, y, width: wide, height: high } = await boxOf(button);
        const spot = [x + across * wide, y + down * high] as const;
        await page.mouse.click(...spot);
        await card.getByLabel(/^nota/).waitFor();
        const hit = page.evaluate((at) => document.elementFromPoint(...at)?.textContent, spot);
        expect(await hit).toBe('ciente ↵');
        const dots = card
          .locator('.alarm-form')
          .evaluate((form) =>
            [...form.querySelectorAll('p')].map((part) => getComputedStyle(part, '::before').content),
          );
        expect(new Set(await dots)).toEqual(new Set(['none']));
        if (down === 0.1) await page.keyboard.press('Escape');
        else if (across === 0.1) await card.getByRole('button', { name: 'voltar' }).click();
        else await page.mouse.click(...spot);
      }
      pressed += 1;
      await until(async () => expect(await calling.count()).toBe(left - 1));
    }
    const commands = await sentCommands(page);
    expect(commands).toHaveLength(pressed);
    for (const command of commands) expect(command).toMatchObject({ kind: 'acknowledge', note: null });
  },
);

test('a mark from the card of an alarm acknowledges it in one command', async () => {
  const page = await gallery.show('stopped-sector');
  const card = page.locator('.alarm', { hasText: 'sem acessos registrados' });
  expect(await card.getAttribute('data-state')).toBe('calling');
  await card.getByRole('button', { name: /^marcar setor/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Marcar vale como “ciente” do alarme de SUL DORIL.').waitFor();
  // The time to tell others is one.
  const [, since = ''] = /desde (\d\d:\d\d)/.exec(await card.innerText()) ?? [];
  await dialog.getByText(`A última leitura foi às ${since}.`).waitFor();
  const proposed = () => dialog.getByLabel('desde').inputValue();
  expect(await proposed()).toBe(since);
  await dialog.getByText('entrada liberada sem leitura').click();
  await dialog.getByRole('button', { name: 'marcar', exact: true }).click();
  await until(async () => expect(await page.locator('.alarm[data-state=calling]').count()).toBe(0));
  const commands = await sentCommands(page);
  expect(commands).toMatchObject([
    { kind: 'mark', sector: '7', alarm: expect.stringMatching(/^alarm:stopped:7/) as string },
  ]);
  expect(await page.locator('.log').innerText()).toMatch(
    /entrada liberada sem leitura · .+; ciente: sem acessos registrados/,
  );

  // Until a time is typed, what is proposed is the last reading there is.
  await gallery.show('stopped-sector');
  const readNow = () =>
    changeStandIn(page, (standIn) => {
      const { state, ...view } = standIn.view();
      const rows = state.rows.map((row) => ({ ...row, lastEntryAtMs: state.nowMs }));
      standIn.view = () => ({ ...view, state: { ...state, rows } });
    });
  await card.getByRole('button', { name: /^marcar setor/ }).click();
  await readNow();
  await dialog.getByText('A última leitura foi às 18:36.').waitFor();
  expect(await proposed()).toBe('18:36');
  await gallery.show('stopped-sector');
  await card.getByRole('button', { name: /^marcar setor/ }).click();
  await dialog.getByLabel('desde').fill('18:20');
  await readNow();
  await dialog.getByText('A última leitura foi às 18:36. 18:20 foi há 16 min.').waitFor();
  expect(await proposed()).toBe('18:20');
  await dialog.getByText('entrada liberada sem leitura').click();
  await dialog.getByText('sem uma estimativa a previsão é do resto do estádio, ou para.').waitFor();
  // Another desk marked it now, from an earlier time on.
  await gallery.show('stopped-sector');
  await card.getByRole('button', { name: /^marcar setor/ }).click();
  await dialog.getByText('entrada suspensa').click();
  await changeStandIn(page, (standIn) => {
    const sinceMs = standIn.nowMs - 600_000;
    standIn.command({ kind: 'mark', id: 'faster', sector: '7', mark: 'suspended', sinceMs }, 'Bia');
  });
  await dialog.getByText('Já está marcado: Bia, 18:36', { exact: true }).waitFor();

  // Once it is acknowledged as well, as long as the card says to mark the sector.
  await gallery.show('stopped-sector');
  await card.getByRole('button', { name: /^ciente/ }).press('Enter');
  await page.keyboard.press('Enter');
  await until(async () => expect(await card.getAttribute('data-state')).toBe('quiet'));
  await card.getByText('Passam sem leitura? Marque o setor.').waitFor();
  await card.getByRole('button', { name: /^marcar setor/ }).click();
  await dialog.getByText('A última leitura foi às').waitFor();
  expect(await dialog.getByText('Marcar vale como').count()).toBe(0);
  await page.keyboard.press('Escape');

  // However many stand beneath each other.
  await gallery.show('four-stopped');
  const marking = page.locator('.alarms[data-dense] .alarm').getByRole('button', { name: /^marcar setor: / });
  expect(await marking.count()).toBe(4);
  // No line of theirs ends in the dot that parts it from the next one.
  const after = await page
    .locator('.alarms[data-dense] :is(p, li)')
    .evaluateAll((parts) => parts.map((part) => getComputedStyle(part, '::after').content));
  expect(after.filter((content) => content.includes('·'))).toEqual([]);
  await expectAllStand(page);
});

test('of a mark that has ended, an estimate is of the people until its end', async () => {
  const page = await gallery.show('unread-sectors');
  const asked = page.getByRole('dialog', { name: 'estimativa' }).getByLabel(/^passaram sem leitura/);
  const labels: string[] = [];
  for (const button of await page.locator('.in-force').getByRole('button', { name: 'estimativa' }).all()) {
    await button.click();
    labels.push(await asked.evaluate((input: HTMLInputElement) => input.labels?.[0]?.innerText.trim() ?? ''));
    await page.keyboard.press('Escape');
  }
  expect(labels.toSorted()).toEqual([
    expect.stringMatching(/^passaram sem leitura até \d\d:\d\d, cerca de$/),
    'passaram sem leitura até agora, cerca de',
  ]);
});

test('an alarm that returns while somebody types why it is to be suspended is not suspended; suspended, it is shown as returned', async () => {
  const page = await gallery.show('six-alarms');
  const card = (sector: string) => page.locator(`.alarm[data-alarm*=":${sector}:"]`);
  const suspend = async (sector: string) => {
    await card(sector)
      .getByRole('button', { name: /^suspender/ })
      .press('Enter');
    await card(sector).getByLabel('motivo').fill('catraca em teste');
  };
  await suspend('1');
  await page.keyboard.press('Enter');
  await card('1')
    .getByRole('button', { name: /^retomar/ })
    .waitFor();
  await suspend('2');
  await changeStandIn(page, (standIn) => {
    for (const { code } of standIn.sectors) standIn.permit(code, (admitted) => admitted * 2);
  });
  await card('2')
    .getByText(/^O alarme já terminou, às \d\d:\d\d\./)
    .waitFor();
  expect(await card('1').getAttribute('data-state')).toBe('returned');
  await card('2').getByLabel('motivo').press('Enter');
  await until(async () => {
    const kinds = (await sentCommands(page)).map(({ kind }) => kind);
    expect(kinds).toEqual(['suspend', 'occurrence']);
  });
});

test('a field in which nothing is typed yet stays when another desk is faster, so that the next keys press no button', async () => {
  const page = await gallery.show('six-alarms');
  const card = (sector: string) => page.locator(`.alarm[data-alarm*=":${sector}:"]`);
  const openForm = (sector: string, button: RegExp) =>
    card(sector).getByRole('button', { name: button }).press('Enter');
  const typeOn = async (sector: string) => {
    await page.keyboard.press('Enter');
    await page.keyboard.type('ok vou ao portao');
    await page.keyboard.press('Enter');
    await until(async () => expect(await card(sector).locator('form').count()).toBe(0));
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H3');
  };
  await openForm('1', /^ciente/);
  await changeStandIn(page, (standIn) => {
    const alarm = standIn.view().state.alarms.find(({ sector }) => sector === '1')?.id ?? '';
    standIn.command({ kind: 'acknowledge', id: 'faster', alarm, note: null }, 'Bia');
  });
  await card('1')
    .getByText(/^Já está ciente: Bia, \d\d:\d\d\.$/)
    .waitFor();
  await typeOn('1');
  await openForm('2', /^suspender/);
  await changeStandIn(page, (standIn) => {
    const rule = 'above-capacity';
    const reason = 'revista lenta';
    standIn.command({ kind: 'suspend', id: 'first', rule, sector: '2', minutes: 15, reason }, 'Bia');
  });
  await card('2')
    .getByText(/^O alarme já está suspenso por Bia até \d\d:\d\d\.$/)
    .waitFor();
  await typeOn('2');
  // An alarm that is over keeps its card.
  await openForm('12', /^ciente/);
  await changeStandIn(page, (standIn) => {
    const alarm = standIn.view().state.alarms.find(({ sector }) => sector === '12')?.id ?? '';
    standIn.permit('12', (admitted) => admitted * 2);
    standIn.command({ kind: 'acknowledge', id: 'over', alarm, note: null }, 'Bia');
  });
  await card('12')
    .getByText(/^Já está ciente: Bia/)
    .waitFor();
  await page.keyboard.press('Escape');
  await until(async () => expect(await card('12').count()).toBe(0));
  const kinds = async () => (await sentCommands(page)).map(({ kind }) => kind);
  expect(await kinds()).toEqual(['occurrence', 'occurrence']);

  // Whoever goes on elsewhere before the answer comes stays there.
  await openForm('13', /^ciente/);
  await card('13')
    .getByLabel(/^nota/)
    .evaluate((field: HTMLInputElement) => {
      field.form?.requestSubmit();
      document.querySelector<HTMLElement>('.sound-switch button')?.focus();
    });
  await card('13')
    .getByText(/^ciente: Ana/)
    .waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^som/);
  expect(await kinds()).toEqual(['occurrence', 'occurrence', 'acknowledge']);
});

test('what is typed about a sector whose alarm becomes one of several sectors is taken to that one', async () => {
  const page = await gallery.show('stopped-sector');
  const card = page.locator('.alarm');
  await card.getByRole('button', { name: /^ciente/ }).press('Enter');
  await page.keyboard.type('João, canal 4');
  await changeStandIn(page, (standIn) => {
    const view = standIn.view();
    const [alarm] = view.state.alarms;
    const raised = view.log.find(({ id }) => id === alarm?.id);
    if (alarm?.rule !== 'stopped' || !raised) return;
    const { silentSinceMs, before } = alarm.figures;
    const sectors = ['4', '7', '99'].map((sector) => ({ sector, silentSinceMs, before }));
    const several = {
      ...alarm,
      id: 'several',
      rule: 'several-stopped',
      sector: null,
      figures: { sectors },
    } as const;
    const data = { alarm: alarm.id, why: 'replaced' } as const;
    const log = [...view.log, { ...raised, id: 'returned', kind: 'alarm-returned', data } as const];
    standIn.view = () => ({ ...view, log, state: { ...view.state, alarms: [several] } });
  });
  const old = page.locator('.alarm', { hasText: 'Este alarme agora faz parte de outro' });
  await old.getByRole('button', { name: 'levar a nota a esse alarme' }).waitFor();
  await page.keyboard.press('Enter');
  await until(async () => expect(await card.count()).toBe(1));
  expect(await page.locator('[data-alarm=several]').getByLabel('nota').inputValue()).toBe(
    'SUL DORIL: João, canal 4',
  );
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
  expect(await sentCommands(page)).toEqual([]);
});

test('typed text keeps no card in place once its form is closed, and is there when it is opened again', async () => {
  const page = await gallery.show('six-alarms');
  const cards = page.locator('.alarm');
  const card = page.locator('.alarm[data-alarm*=":2:"]');
  const suspend = card.getByRole('button', { name: /^suspender/ });
  // The second press of the double click comes where the button was.
  await suspend.dblclick();
  await page.keyboard.type('revista lenta');
  await page.keyboard.press('Escape');
  await changeStandIn(page, (standIn) => {
    const alarm = standIn.view().state.alarms.find(({ sector }) => sector === '2')?.id ?? '';
    standIn.command({ kind: 'acknowledge', id: 'faster', alarm, note: null }, 'Bia');
  });
  await card.getByText(/^ciente: Bia/).waitFor();
  expect(await cards.last().getAttribute('data-alarm')).toMatch(/:2:/);
  await suspend.press('Enter');
  expect(await card.getByLabel('motivo').inputValue()).toBe('revista lenta');
});

test('on a phone the card in which an operator writes stays where it is, though it goes to the end of the list', async () => {
  const page = await gallery.show('six-alarms', { viewport: { width: 390, height: 844 } });
  const card = page.locator('.alarm[data-alarm*=":2:"]');
  await card.getByRole('button', { name: /^suspender/ }).press('Enter');
  await page.keyboard.type('catraca em teste');
  const topOf = async () => (await card.boundingBox())?.y ?? NaN;
  const before = await topOf();
  await changeStandIn(page, (standIn) => standIn.permit('2', (admitted) => admitted * 2));
  await card.getByText(/^O alarme já terminou/).waitFor();
  expect(await page.locator('.alarm').last().getAttribute('data-alarm')).toMatch(/:2:/);
  expect(Math.abs((await topOf()) - before)).toBeLessThanOrEqual(2);
});

test('while somebody writes in a card, another alarm makes no card smaller', async () => {
  const page = await gallery.show('stopped-sector', { viewport: { width: 390, height: 844 } });
  await page
    .locator('.alarm')
    .getByRole('button', { name: /^ciente/ })
    .press('Enter');
  const isDense = () => page.locator('.alarms').getAttribute('data-dense');
  await changeStandIn(page, (standIn) => {
    const view = standIn.view();
    const [alarm] = view.state.alarms;
    if (!alarm) return;
    const more = ['7', '9', '11'].map((sector) => Object.assign({}, alarm, { id: `more:${sector}`, sector }));
    standIn.view = () => ({ ...view, state: { ...view.state, alarms: [alarm, ...more] } });
  });
  await until(async () => expect(await page.locator('.alarm').count()).toBe(4));
  expect(await isDense()).toBe(null);
  await page.keyboard.press('Escape');
  await until(async () => expect(await isDense()).toBe(''));
});

test('the card in which an operator writes stays on the screen, with what it says, wherever its alarm goes', async () => {
  for (const [width, height] of [
    [1366, 768],
    [390, 844],
  ] as const) {
    const page = await gallery.show('six-alarms', { viewport: { width, height } });
    const cards = page.locator('.alarm');
    const card = page.locator('.alarm[data-alarm*=":2:"]');
    await card.getByRole('button', { name: /^suspender/ }).press('Enter');
    await page.keyboard.type('catraca em teste');
    await page.evaluate(() => window.scrollTo({ top: 0 }));
    await changeStandIn(page, (standIn) => standIn.permit('2', (admitted) => admitted * 2));
    await card.getByText(/^O alarme já terminou/).waitFor();
    const bottom = await page
      .locator('.desk-actions')
      .evaluate((actions) => actions.getBoundingClientRect().top);
    const box = await card.boundingBox();
    expect(await cards.last().getAttribute('data-alarm')).toMatch(/:2:/);
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bottom);
    expect(await page.evaluate(() => document.activeElement?.closest('.alarm')?.textContent)).toMatch(
      /O alarme já terminou/,
    );
  }
});

test('six alarms of six rules fit a wall without scrolling, each with its words', async () => {
  const page = await gallery.show('six-unlike');
  const calling = page.locator('.alarm[data-state=calling]');
  const titles = await calling.locator('.alarm-title').allInnerTexts();
  const kinds = titles.map((title) => title.trim().split(/\s·\s/)[0] ?? '');
  expect(kinds.toSorted()).toEqual([
    'ACIMA DA CAPACIDADE',
    'acessos em queda',
    'no limite',
    'perto da lotação',
    'sem acessos registrados',
    'vários setores sem acessos',
  ]);
  // A line may end before the dot, and not behind it.
  const places = await calling.locator('.alarm-place').allInnerTexts();
  expect(places.filter((place) => !place.startsWith('·'))).toEqual([]);
  await expectAllStand(page);
});

test('filling sectors stand on one card, and are acknowledged together or one by one', async () => {
  const page = await gallery.show('filling-sectors');
  const group = page.locator('.alarm[data-group]');
  const calling = page.locator('.alarms > .alarm[data-state=calling]');
  expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · 5 novos');
  expect(await calling.count()).toBe(1);
  expect(await group.locator('h3').first().innerText()).toMatch(/^\s*perto da lotação\s·\s5 setores$/);
  expect(await group.innerText()).toMatch(/ (?:89|90)%.*, .+\./);

  // A single acknowledgement with a note leaves all cards in place.
  await group.getByRole('button', { name: /^ver cada um/ }).press('Enter');
  expect(await axeFaults(page, '.desk-alarms')).toEqual([]);
  await group.getByRole('button', { name: /^ciente: perto da lotação · NORTE/ }).press('Enter');
  await page.getByLabel('nota').fill('desvio montado');
  expect(await group.getByRole('button', { name: /^ciente: perto da lotação · / }).count()).toBe(4);
  await page.keyboard.press('Enter');
  await until(async () =>
    expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · 4 novos'),
  );

  const together = group.getByRole('button', { name: 'ciente: perto da lotação: 4 setores' });
  await together.press('Enter');
  await page.keyboard.press('Escape');
  expect(await together.count()).toBe(1);
  await together.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('ciente dos 4 ↵');
  // Whoever takes it for the field of a note writes spaces.
  await page.keyboard.press('Space');
  expect(await sentCommands(page)).toHaveLength(1);
  await page.keyboard.press('Enter');
  await until(async () =>
    expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · nenhum novo'),
  );
  expect(await group.getAttribute('data-state')).toBe('quiet');
  // Whoever takes over still reads what to do.
  await group.getByText('Avise os portões e prepare o desvio').waitFor();
  expect(await group.locator('h3').first().innerText()).toMatch(/4 setores$/);
  const noted = page.locator('.alarms > .alarm[data-alarm]');
  expect(await noted.innerText()).toMatch(/perto da lotação\s·\sNORTE[^]*“desvio montado”/);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('alarms-heading');
  const sent = (await sentCommands(page)).flatMap((command) =>
    command.kind === 'acknowledge' ? [command] : [],
  );
  expect(sent.map(({ alarm }) => alarm.split(':')[2] ?? '').toSorted()).toEqual(FILLING);
  expect(sent.map(({ note }) => note)).toEqual(['desvio montado', null, null, null, null]);
  // Nobody is to come in any more.
  await page.getByRole('button', { name: 'encerrar entrada' }).click();
  await page.getByRole('button', { name: 'encerrar a entrada' }).click();
  await group.getByText('Entrada encerrada: confirme que os portões fecharam.').waitFor();
  // Before the rules are next applied, one of them is above its capacity.
  await changeStandIn(page, (standIn) => {
    const { state, ...view } = standIn.view();
    const rows = state.rows.map((row) =>
      row.code === '1' ? { ...row, admitted: (row.capacity ?? 0) + 6 } : row,
    );
    standIn.view = () => ({ ...view, state: { ...state, rows } });
  });
  const above = page.locator('.alarm[data-alarm*=":1:"]');
  await above.getByText('Feche a entrada e confira a ocupação no local.').waitFor();
  expect(await above.innerText()).toMatch(/^\s*ACIMA DA CAPACIDADE[^]*; 6 a mais\./);
  expect(await group.locator('h3').first().innerText()).toMatch(/3 setores$/);
  // Nor are its sectors called, before the rules have ended their alarms.
  await changeStandIn(page, (standIn) => {
    const { state, ...view } = standIn.view();
    standIn.view = () => ({ ...view, state: { ...state, evacuatedAtMs: state.nowMs } });
  });
  await until(async () => expect(await group.getAttribute('data-state')).toBe('ended'));
});

test('the list scrolls to a new alarm, but no card moves while an operator writes in it', async () => {
  const page = await gallery.show('seven-alarms', { viewport: { width: 1920, height: 920 } });
  const calling = page.locator('.alarm[data-state=calling]');
  expect(await calling.count()).toBe(7);
  const list = page.locator('.desk-alarms');
  const scrollToEnd = () => list.evaluate((element) => (element.scrollTop = element.scrollHeight));
  const scrolled = () => list.evaluate((element) => element.scrollTop);
  const outOfSight = page.locator('.alarms-out-of-sight');
  await scrollToEnd();
  expect(await scrolled()).toBeGreaterThan(0);
  // It is over the column that is scrolled, and not over what says how fresh all is.
  expect((await boxOf(outOfSight)).y).toBeGreaterThan((await boxOf(page.locator('.strip'))).height);
  await changeStandIn(page, (standIn) => standIn.permit('5', (admitted) => admitted - 1));
  await until(async () => expect(await calling.count()).toBe(8));
  await until(async () => expect(await scrolled()).toBe(0));
  await until(async () => expect(await outOfSight.count()).toBe(0));

  // While an operator writes in the last card, nothing moves.
  const last = calling.last();
  await last.getByRole('button', { name: /^ciente/ }).click();
  await page.keyboard.type('fila dupla');
  await scrollToEnd();
  await changeStandIn(page, (standIn) => standIn.permit('1', (admitted) => admitted - 1));
  await until(async () => expect(await page.locator('#alarms-heading').innerText()).toMatch(/· 9 novos$/));
  expect(await scrolled()).toBeGreaterThan(0);
  await outOfSight.waitFor();
  await page.keyboard.press('Enter');
  await until(async () => expect(await page.locator('#alarms-heading').innerText()).toMatch(/· 8 novos$/));

  // A dialog leaves the page where it is.
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.evaluate(() => window.scrollTo({ top: 0 }));
  const button = await page.getByRole('button', { name: 'ocorrência' }).boundingBox();
  // Playwright's own click scrolls to where the button is in the page.
  await page.mouse.click((button?.x ?? 0) + 10, (button?.y ?? 0) + 10);
  await page.getByLabel('o que houve').waitFor();
  await page.keyboard.press('Escape');
  await until(async () =>
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('ocorrência'),
  );
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test('on a wall the buttons of alarms that have ended stand beside their titles, and over no words', async () => {
  const page = await gallery.show('seven-alarms', { viewport: { width: 1920, height: 1080 } });
  await page.getByRole('button', { name: 'evacuação' }).click();
  await page.getByRole('button', { name: 'registrar evacuação' }).click();
  await until(async () => expect(await page.locator('.alarm[data-state=ended]').count()).toBe(7));
  const covered = await page.locator('.alarm').evaluateAll((cards) =>
    cards.flatMap((card) => {
      const buttons = [...card.querySelectorAll('button')].map((button) => button.getBoundingClientRect());
      const lines = [...card.querySelectorAll('.alarm-body > p, .alarm-story')].flatMap((part) => {
        const text = document.createRange();
        text.selectNodeContents(part);
        return Array.from(text.getClientRects());
      });
      return lines.filter((line) =>
        buttons.some(
          (button) =>
            button.bottom > line.top + 1 &&
            button.top < line.bottom &&
            button.right > line.left &&
            button.left < line.right,
        ),
      );
    }),
  );
  expect(covered).toEqual([]);
});

test('sectors that stop together are one alarm, which names them and the source first', async () => {
  const page = await gallery.show('several-stopped');
  const card = page.locator('.alarm');
  expect(await card.count()).toBe(1);
  expect(await card.innerText()).toMatch(/vários setores sem acessos/);
  expect(await card.innerText()).toMatch(/NORTE.*OESTE LOUNGE BRAHMA.*SUL DORIL/);
  expect(await card.innerText()).toMatch(/Verifique primeiro a origem/);
  expect(await card.innerText()).toMatch(
    /Chame: NORTE: canal 6 .+;\nOESTE .+: canal \d+ .+;\nSUL DORIL: canal 12 /,
  );
  expect(await page.title()).toMatch(/^\(1\) ■/);
});

test('the entries of the log stand below the curve at their minute, each kind with its own shape', async () => {
  const page = await gallery.show('marked-log');
  const { log, state } = VIEWS['marked-log'].open().view();
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('ônibus\natrasado');
  expect(await page.getByLabel('o que houve').inputValue()).toBe('ônibus atrasado');
  expect((await page.getByLabel('o que houve').boundingBox())?.height).toBeGreaterThan(60);
  await page.getByRole('combobox').selectOption({ label: 'SUL DORIL' });
  await page.getByRole('button', { name: 'registrar', exact: true }).click();

  const shapes = new Set<string | null>();
  for (const [code, name, kind] of [
    ['4', 'NORTE', 'lot'],
    ['7', 'SUL DORIL', 'occurrence'],
    ['11', 'LESTE INFERIOR CENTRAL', 'alarm'],
  ] as const) {
    await page.locator('.rows').getByRole('button', { name, exact: true }).click();
    await page.getByRole('img', { name: `acessos ao longo do tempo · ${name}` }).waitFor();
    const marker = page.locator('.curve-drawing .curve-marker');
    await until(async () => expect(await marker.count()).toBe(1));
    // The occurrence has the page's current time.
    const entry = log.find((row) => row.kind === kind && row.sector === code);
    expect(await marker.getAttribute('data-kind')).toBe(kind);
    const atMs = await momentOf(page);
    expect(Math.abs(atMs - (entry?.atMs ?? state.nowMs))).toBeLessThan(MINUTE_MS / 4);
    shapes.add(await marker.getAttribute('d'));
    expect(await page.locator('.curve-legend li').allInnerTexts()).toHaveLength(1);
  }
  expect(shapes.size).toBe(3);

  // The log has an entry that can be taken back.
  expect(
    await page
      .locator('.log')
      .getByRole('button', { name: /^desfazer/ })
      .count(),
  ).toBe(1);
  await expectControlsFit(page);

  // On the ground's curve they share a position, and are the most urgent kind, also in the legend.
  await page.getByRole('button', { name: 'ver o estádio todo' }).click();
  await page.getByRole('img', { name: 'acessos ao longo do tempo · estádio' }).waitFor();
  const legend = await page.locator('.curve-legend li').allInnerTexts();
  expect(legend.map((words) => words.trim())).toEqual(['alarme']);
  expect(await page.locator('.curve-drawing .curve-marker').first().getAttribute('data-kind')).toBe('alarm');
});

/** All cards are on the screen. */
async function expectAllStand(page: Page): Promise<void> {
  expect((await scrolls(page)).down).toBe(false);
  const cut = await page.locator('.alarm').evaluateAll((cards) => {
    const bottom = cards[0]?.closest('.desk-alarms')?.getBoundingClientRect().bottom ?? 0;
    return cards.filter((card) => card.getBoundingClientRect().bottom > bottom + 1).length;
  });
  expect(cut).toBe(0);
}

async function expectControlsFit(page: Page): Promise<void> {
  for (const [width, height, px] of MIN_CONTROL_PX) {
    await page.setViewportSize({ width, height });
    expect([width, await smallControls(page, CONTROLS, px)]).toEqual([width, []]);
  }
}

/** Reads the time of the only marker from the lines of the gates' opening and of kick-off. */
async function momentOf(page: Page): Promise<number> {
  const [gates, kickOff, x] = await page.evaluate(() => {
    const lineX = (kind: string): number =>
      Number(document.querySelector(`.curve-moment[data-kind="${kind}"]`)?.getAttribute('x1'));
    const place = document.querySelector('.curve-drawing .curve-marker')?.getAttribute('transform') ?? '';
    return [lineX('gates'), lineX('kick-off'), Number(/translate\(([\d.]+)/.exec(place)?.[1])] as const;
  });
  return KICK_OFF_MS + ((x - kickOff) / (kickOff - gates)) * GATES_OPEN_MS;
}

async function boxOf(part: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await part.waitFor();
  const box = await part.boundingBox();
  if (!box) throw new Error('it is not displayed');
  return box;
}
