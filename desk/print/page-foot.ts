import type { RecordView } from './record-view.ts';
import { footLines } from './proof-lines.ts';

/**
 * Fills the foot of every printed page in the margin boxes (css-page-3), which only a style sheet can fill. In a browser without
 * them, the end of the document has the same text.
 */
export function setPageFoot(document: Document, view: RecordView): void {
  const sheet = new CSSStyleSheet();
  const foot = footLines(view)
    .map(cssText)
    .join(String.raw` '\a ' `);
  sheet.replaceSync(`@page {
    @bottom-left { content: ${foot}; }
    @bottom-right { content: 'página ' counter(page) ' de ' counter(pages); }
  }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** Quotes a string of CSS, and escapes characters that would end it. */
function cssText(text: string): string {
  const escaped = text.replaceAll(/['"\\\n\r\f<]/g, (mark) => `\\${mark.codePointAt(0)?.toString(16)} `);
  return `'${escaped}'`;
}
