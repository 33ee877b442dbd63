import { createElement, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { CommandButton } from './command-button.tsx';
import type { DialogProps } from './dialog-props.ts';
import { onEscape } from './on-escape.ts';
import { type OpenDialog, useOpenDialog } from './open-dialog.ts';
import { RecordAwayNote } from './record-away-note.tsx';
import { Unanswered } from './unanswered.tsx';
import { useKeptFocus } from '../alarms/use-kept-focus.ts';

/** Their code comes on its own, and begins to load now: one that is asked for sooner opens when it is there. */
const dialogs = loadPart(async () => (await import('./dialog-of.tsx')).DialogOf);

/** What was recorded may be taken back by another desk: it is told for as long as whoever said it looks there. */
const TOLD_MS = 15_000;

/**
 * What operators say; of a recorded minute nothing can be said. The buttons come last, at the bottom of the screen: nothing
 * that is said above them moves them. On a phone one button opens the others.
 */
export function DeskActions({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const [dialog, setDialog] = useOpenDialog();
  const [recorded, setRecorded] = useState('');
  const [isOpen, setOpen] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const buttonsId = useId();
  const keptFocus = useKeptFocus(first, opener);
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
      setOpen(false);
      setRecorded(words);
    },
  };
  const recede = (event: KeyboardEvent) => {
    onEscape(() => {
      setOpen(false);
      opener.current?.focus();
    })(event);
  };
  return (
    <section
      className="actions-panel"
      aria-label="registrar"
      data-open={isOpen ? '' : undefined}
      onKeyDown={isOpen ? recede : undefined}
      {...keptFocus}
    >
      <RecordAwayNote />
      <Unanswered view={view} dialog={dialog} onOpen={setDialog} />
      <p className="hint recorded" role="status">
        {recorded}
      </p>
      <p className="desk-buttons actions-buttons" id={buttonsId}>
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
      <button
        type="button"
        className="actions-opener"
        ref={opener}
        aria-expanded={isOpen}
        aria-controls={buttonsId}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'recolher' : 'lançar'}
      </button>
      {dialog && DialogOf && createElement(DialogOf, { dialog, props })}
    </section>
  );
}
