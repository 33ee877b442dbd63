import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A page of a PDF, in points; text in the order in which it was drawn, without white space at the ends of its pieces. */
export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly text: string;
  /** The edges of what is farthest out, of all that is written level. */
  readonly left: number;
  readonly right: number;
  /** All that is written level, where it stands: from the left edge of the page, and from its bottom. */
  readonly pieces: readonly PdfPiece[];
}

interface PdfPiece {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Of its base line. */
  readonly y: number;
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
    const pieces = items.flatMap((item): readonly PdfPiece[] => {
      if (!('str' in item) || item.str.trim() === '' || item.transform[1] !== 0) return [];
      const left = Number(item.transform[4]);
      return [{ text: item.str, left, right: left + item.width, y: Number(item.transform[5]) }];
    });
    pages.push({
      width,
      height,
      text: items.map((item) => ('str' in item ? item.str + (item.hasEOL ? ' ' : '') : '')).join(''),
      left: Math.min(...pieces.map((piece) => piece.left)),
      right: Math.max(...pieces.map((piece) => piece.right)),
      pieces,
    });
  }
  await loading.destroy();
  return pages;
}
