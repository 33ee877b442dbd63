import type { RecordView } from './record-view.ts';
import { footLines } from './proof-lines.ts';

/**
 * What stands at the foot of every printed page, with its number: in the margin boxes of the page (css-page-3), which only
 * a style sheet can fill. Where a browser has none, the end of the document says the same.
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

/** A string of CSS: whatever ends one, or a line, is escaped by its number. */
function cssText(text: string): string {
  const escaped = text.replaceAll(/['"\\\n\r\f<]/g, (mark) => `\\${mark.codePointAt(0)?.toString(16)} `);
  return `'${escaped}'`;
}
