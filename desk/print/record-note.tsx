import type { ReactNode } from 'react';
import type { RecordFault } from './load-record.ts';

const WORDS: Readonly<Record<RecordFault, ReactNode>> = {
  'no-session': (
    <>
      <a href="/fluxo">Entre na mesa de fluxo</a> neste navegador e volte a esta página.
    </>
  ),
  'another-event': (
    <>
      O servidor mostra outro evento agora. <a href="/fluxo/registro">Recarregue a página</a>.
    </>
  ),
  'too-long': 'O registro passa de 20.000 linhas: exporte com gates -- record export.',
  'no-answer': (
    <>
      O servidor não respondeu. Confira a rede e <a href="/fluxo/registro">tente de novo</a>.
    </>
  ),
};

/** States why there is nothing to print, and what to do. */
export function RecordNote({ fault }: { readonly fault: RecordFault }) {
  return (
    <p className="record-note" role="alert">
      {WORDS[fault]}
    </p>
  );
}
