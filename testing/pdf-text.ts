import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A page of a PDF, in points; text in the order in which it was drawn, without white space at the ends of its pieces. */
export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly text: string;
  /** The edges of what is farthest out, of all that is written level. */
  readonly left: number;
  readonly right: number;
}

/** The text of every page. */
export async function readPdf(bytes: Uint8Array): Promise<readonly PdfPage[]> {
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 });
  const pdf = await loading.promise;
  const pages: PdfPage[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const [, , width = 0, height = 0] = page.view;
    const { items } = await page.getTextContent();
    const texts = items.flatMap((item) =>
      'str' in item && item.str.trim() !== '' && item.transform[1] === 0 ? [item] : [],
    );
    pages.push({
      width,
      height,
      text: items.map((item) => ('str' in item ? item.str + (item.hasEOL ? ' ' : '') : '')).join(''),
      left: Math.min(...texts.map(({ transform }) => Number(transform[4]))),
      right: Math.max(...texts.map((item) => Number(item.transform[4]) + item.width)),
    });
  }
  await loading.destroy();
  return pages;
}
