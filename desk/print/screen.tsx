import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { record } from './main.ts';
import { RecordDocument } from './record-document.tsx';
import { RecordNote } from './record-note.tsx';
import type { RecordView } from './record-view.ts';
import { footLines } from './proof-lines.ts';

const place = document.getElementById('record');
if (!place) throw new Error('unreachable: the page has it');
const root = createRoot(place);

void record.then((loaded) => {
  if ('fault' in loaded) {
    root.render(<RecordNote fault={loaded.fault} />);
    return;
  }
  setPageFoot(document, loaded);
  // The record and its curve are drawn at once, so that no part of it alone can be printed.
  flushSync(() => root.render(<RecordDocument view={loaded} />));
  void document.fonts.ready.then(() => (document.documentElement.dataset['whole'] = ''));
});

/**
 * Fills the foot of every printed page in the margin boxes (css-page-3), which only a style sheet can fill. In a browser without
 * them, the end of the document has the same text.
 */
function setPageFoot(document: Document, view: RecordView): void {
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
