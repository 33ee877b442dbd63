import { createElement, useEffect, useRef, useState } from 'react';
import { loadPart } from '../../live/lazy-part.ts';
import { useStore } from '../../live/use-store.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { CommandButton } from './command-button.tsx';
import type { DialogProps } from './dialog-props.ts';
import { type OpenDialog, useOpenDialog } from './open-dialog.ts';
import { RecordAwayNote } from './record-away-note.tsx';
import { Unanswered } from './unanswered.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

/** Their code comes on its own, and begins to load now: one that is asked for sooner opens when it is there. */
const dialogs = loadPart(async () => (await import('./dialog-of.tsx')).DialogOf);

/** What was recorded may be taken back by another desk: it is told for as long as whoever said it looks there. */
const TOLD_MS = 15_000;

/** What operators say; of a recorded minute nothing can be said. */
export function DeskActions({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const [dialog, setDialog] = useOpenDialog();
  const [recorded, setRecorded] = useState('');
  const first = useRef<HTMLButtonElement>(null);
  const keptFocus = useKeptFocus(first);
  useEffect(() => {
    const timer = recorded === '' ? undefined : setTimeout(() => setRecorded(''), TOLD_MS);
    return () => clearTimeout(timer);
  }, [recorded]);
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
    <section className="actions-panel" aria-label="registrar" {...keptFocus}>
      <RecordAwayNote />
      <p className="desk-buttons">
        <CommandButton ref={first} onClick={open({ kind: 'occurrence' })}>
          ocorrência
        </CommandButton>
        <CommandButton onClick={open({ kind: 'mark', sector: undefined })}>marcar setor</CommandButton>
        <CommandButton onClick={open({ kind: 'kick-off' })}>
          {times.kickOffAtMs === null ? 'horário do início' : 'início adiado'}
        </CommandButton>
        {entryClosedAtMs === null && (
          <CommandButton onClick={open({ kind: 'entry-closed' })}>encerrar entrada</CommandButton>
        )}
        {evacuatedAtMs === null && (
          <CommandButton onClick={open({ kind: 'evacuation' })}>evacuação</CommandButton>
        )}
      </p>
      <Unanswered lacking={view.lacking ?? []} dialog={dialog} onOpen={setDialog} />
      <p className="hint recorded" role="status">
        {recorded}
      </p>
      {dialog && DialogOf && createElement(DialogOf, { dialog, props })}
    </section>
  );
}
