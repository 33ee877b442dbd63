import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { record } from './main.ts';
import { setPageFoot } from './page-foot.ts';
import { RecordDocument } from './record-document.tsx';
import { RecordNote } from './record-note.tsx';

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
