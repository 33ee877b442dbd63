import { expect, test } from 'vitest';
import { VIEWS } from '../../../testing/gallery/views.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openGallery } from '../../../testing/browser/open-gallery.ts';
import { answerWords } from '../../../desk/page/answer/answer-words.ts';

const gallery = openForAll(openGallery);

test.each(['twelve-earlier', 'five-earlier', 'no-earlier', 'after-kick-off'] as const)(
  'the answer is drawn with its figures, its table and its verdicts: %s',
  async (view) => {
    const page = await gallery.show(view);
    const texts = async (selector: string): Promise<string[]> =>
      (await page.locator(selector).allTextContents()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    const { figures, table, verdicts } = answerWords(VIEWS[view].open().view());
    expect(await texts('.answer-figures > div')).toEqual(
      figures.map(({ label, value, unit }) => `${label}${value}${unit}`),
    );
    expect(await texts('.answer-note')).toEqual(verdicts.map(({ text }) => text));
    const { title = '', base = '', columns = [] } = table ?? {};
    expect(await texts('.ranges caption')).toEqual(table ? [`${title} ${base ?? ''}`.trim()] : []);
    expect(await texts('.ranges thead th')).toEqual(
      columns.map(({ time, postponed }) => `${time} ${postponed}`),
    );
    for (const row of ['range', 'best', 'needed'] as const)
      expect(await texts(`.ranges [data-row="${row}"] td`)).toEqual(
        columns.flatMap((column) => (columns.some((each) => each[row] !== null) ? [column[row] ?? '—'] : [])),
      );
    const hasRange = columns.some(({ range }) => range !== null);
    expect(await page.locator('.curve-range').getAttribute('d')).toMatch(hasRange ? /^M/ : /^$/);
  },
);
