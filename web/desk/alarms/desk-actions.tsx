import { useState } from 'react';
import type { DeskView, SendCommand } from '../desk-view.ts';
import type { DialogProps } from './dialog-props.ts';
import { KickOffDialog } from './kick-off-dialog.tsx';
import { MarkDialog } from './mark-dialog.tsx';
import { OccurrenceDialog } from './occurrence-dialog.tsx';
import { type OpenDialog, useOpenDialog } from './open-dialog.ts';
import { EntryClosedDialog, EvacuationDialog, TakeBackDialog } from './question-dialogs.tsx';

/** What operators say; of a recorded minute nothing can be said. */
export function DeskActions({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const [dialog, setDialog] = useOpenDialog();
  const [recorded, setRecorded] = useState('');
  if (view.replay !== null) return null;
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
      <Dialog dialog={dialog} props={props} />
    </section>
  );
}

function Dialog({ dialog, props }: { readonly dialog: OpenDialog | null; readonly props: DialogProps }) {
  switch (dialog?.kind) {
    case 'occurrence':
      return <OccurrenceDialog {...props} />;
    case 'mark':
      return <MarkDialog key={dialog.sector} {...props} sector={dialog.sector} />;
    case 'kick-off':
      return <KickOffDialog {...props} />;
    case 'entry-closed':
      return <EntryClosedDialog {...props} />;
    case 'evacuation':
      return <EvacuationDialog {...props} />;
    case 'take-back':
      return <TakeBackDialog key={dialog.entryId} {...props} entryId={dialog.entryId} />;
    default:
      return null;
  }
}
