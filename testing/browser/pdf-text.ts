import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A page of a PDF in points, with its text in the order of drawing. */
export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly text: string;
  /** The outermost edges of the horizontal text. */
  readonly left: number;
  readonly right: number;
  /** The horizontal text, positioned from the left and the bottom of the page. */
  readonly pieces: readonly PdfPiece[];
}

interface PdfPiece {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The y of its base line. */
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
