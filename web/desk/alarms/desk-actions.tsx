import { createElement, useState } from 'react';
import { loadPart } from '../../live/lazy-part.ts';
import { useStore } from '../../live/use-store.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import type { DialogProps } from './dialog-props.ts';
import { type OpenDialog, useOpenDialog } from './open-dialog.ts';

/** Their code comes on its own, and begins to load now: one that is asked for sooner opens when it is there. */
const dialogs = loadPart(async () => (await import('./dialog-of.tsx')).DialogOf);

/** What operators say; of a recorded minute nothing can be said. */
export function DeskActions({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const [dialog, setDialog] = useOpenDialog();
  const [recorded, setRecorded] = useState('');
  const DialogOf = useStore(dialogs, (loaded) => loaded);
  if (view.replay !== null) return <p className="hint">no registro nada se lança: volte ao vivo</p>;
  const { times, entryClosedAtMs, evacuatedAtMs } = view.state;
  const open = (next: OpenDialog) => () => {
    setRecorded('');
    setDialog(next);
  };
  const props: DialogProps = {
    view,
    send,
    onClose: () => setDialog(null),
    onRecorded: (words) => {
      setDialog(null);
      setRecorded(words);
    },
  };
  return (
    <section className="actions-panel" aria-label="registrar">
      <p className="desk-buttons">
        <button type="button" onClick={open({ kind: 'occurrence' })}>
          ocorrência
        </button>
        <button type="button" onClick={open({ kind: 'mark', sector: undefined })}>
          marcar setor
        </button>
        <button type="button" onClick={open({ kind: 'kick-off' })}>
          {times.kickOffAtMs === null ? 'horário do início' : 'início adiado'}
        </button>
        {entryClosedAtMs === null && (
          <button type="button" onClick={open({ kind: 'entry-closed' })}>
            encerrar entrada
          </button>
        )}
        {evacuatedAtMs === null && (
          <button type="button" onClick={open({ kind: 'evacuation' })}>
            evacuação
          </button>
        )}
      </p>
      <p className="hint recorded" role="status">
        {recorded}
      </p>
      {dialog && DialogOf && createElement(DialogOf, { dialog, props })}
    </section>
  );
}
