import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Reads the caveats of an incomplete count, by the figures that they concern. */
export const caveatsOf = (page: Page) =>
  page.evaluate(() => {
    const words = (selector: string): string[] =>
      [...document.querySelectorAll<HTMLElement>(selector)].map((element) => element.innerText);
    const rows = [...document.querySelectorAll('.rows tbody tr')].flatMap((row) => {
      const caveats = [...row.querySelectorAll<HTMLElement>('.row-at-least, .caveat')];
      return caveats.map((element) => `${row.querySelector('.row-name')?.textContent}: ${element.innerText}`);
    });
    return {
      total: words('.total :is(.doubt, .caveat)'),
      facts: words('.total-facts').flatMap((facts) => facts.match(/no (?:mínimo|máximo)/g) ?? []),
      rows,
      answer: words(':is(.answer-note, .ranges caption)').filter((note) =>
        /contagem incompleta|sem faixa|início, sem/.test(note),
      ),
      needed: words('.answer-figures').filter((figures) => figures.includes('ritmo necessário')).length,
      hasRange: words('.ranges [data-row="range"] td').some((range) => /\d – \d/.test(range)),
      curve: words('.curve .caveat'),
      markers: document.querySelectorAll('.curve-drawing .curve-marker[data-kind="caveat"]').length,
    };
  });

export const WITHOUT_CAVEATS = {
  total: [],
  facts: [],
  rows: [],
  answer: [],
  needed: 1,
  hasRange: true,
  curve: [],
  markers: 0,
};

export const matching = (words: RegExp): unknown => expect.stringMatching(words);

/** The caveats of a mark on SUL DORIL under which people pass uncounted. */
const SINCE = matching(/^contagem incompleta: SUL DORIL desde \d\d:\d\d(?: até \d\d:\d\d)?$/);
export const INCOMPLETE = {
  total: ['no mínimo', SINCE],
  facts: ['no mínimo', 'no máximo'],
  rows: [
    'SUL DORIL: no mínimo',
    matching(/^SUL DORIL: contagem incompleta desde \d\d:\d\d(?: até \d\d:\d\d)?$/),
  ],
  // The forecast leaves the small sector out, and is not drawn, as the line is of all sectors.
  answer: [matching(/^dentro no início, sem SUL DORIL, se for/)],
  needed: 1,
  hasRange: true,
  curve: ['contagem incompleta: SUL DORIL'],
  markers: 1,
};
/** The count is right; the forecast leaves the small sector out. */
export const SUSPENDED = {
  ...WITHOUT_CAVEATS,
  rows: [matching(/^SUL DORIL: entrada suspensa desde \d\d:\d\d$/)],
  answer: [matching(/^dentro no início, sem SUL DORIL, se for/)],
};
