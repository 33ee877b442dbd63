import { createElement, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { CommandButton } from './command-button.tsx';
import type { DialogProps } from './dialog-props.ts';
import { readKept } from './kept-state.ts';
import { onEscape } from './on-escape.ts';
import { nameOf, type OpenDialog, useOpenDialog } from './open-dialog.ts';
import { RecordUnavailableNote } from './record-unavailable-note.tsx';
import { Unanswered } from './unanswered.tsx';
import { useActionsHeight } from './use-actions-height.ts';
import { useKeptFocus } from '../alarms/use-kept-focus.ts';

/** The dialogs start to load now; one that is requested earlier opens once they have loaded. */
const dialogs = loadPart(async () => (await import('./dialog-switch.tsx')).DialogSwitch);

/** Another desk may take the entry back, so its confirmation disappears after a while. */
const CONFIRMED_MS = 15_000;

/** The buttons stand last, at the bottom of the screen, so that no message moves them. On a phone one button opens the others. */
export function DeskActions({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const [dialog, setDialog] = useOpenDialog();
  const [recorded, setRecorded] = useState('');
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const buttonsId = useId();
  const keptFocus = useKeptFocus(opener, panel);
  useActionsHeight(panel, view.replay === null);
  useEffect(() => {
    const timer = recorded === '' ? undefined : setTimeout(() => setRecorded(''), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [recorded]);
  const DialogSwitch = useStore(dialogs, (loaded) => loaded);
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
      // Whoever has gone on to another dialog keeps it.
      const displayed = readKept('dialog') as OpenDialog | undefined;
      if (displayed && dialog && nameOf(displayed) === nameOf(dialog)) setDialog(null);
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
      ref={panel}
      className="actions-panel"
      aria-label="registrar"
      tabIndex={-1}
      data-open={isOpen ? '' : undefined}
      onKeyDown={isOpen ? recede : undefined}
      {...keptFocus}
    >
      <RecordUnavailableNote />
      <Unanswered view={view} dialog={dialog} onOpen={setDialog} />
      <p className="hint recorded" role="status">
        {recorded}
      </p>
      <p className="desk-buttons actions-buttons" id={buttonsId}>
        <CommandButton onClick={open({ kind: 'occurrence' })}>ocorrência</CommandButton>
        <CommandButton onClick={open({ kind: 'mark' })}>marcar setor</CommandButton>
        <CommandButton onClick={open({ kind: 'kick-off' })}>
          {times.kickOffAtMs === null ? 'horário do início' : 'mudar início'}
        </CommandButton>
        {entryClosedAtMs === null ? (
          <CommandButton onClick={open({ kind: 'entry-closed' })}>encerrar entrada</CommandButton>
        ) : (
          // Keeps its place: no other button comes under a pointer that has just pressed it.
          <button type="button" className="actions-gone" disabled aria-hidden="true">
            encerrar entrada
          </button>
        )}
        {evacuatedAtMs === null && (
          <CommandButton className="actions-evacuation" onClick={open({ kind: 'evacuation' })}>
            evacuação
          </CommandButton>
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
      {dialog && DialogSwitch && createElement(DialogSwitch, { dialog, props })}
    </section>
  );
}
