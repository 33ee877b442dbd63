import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import { holdTab } from '../frame/hold-tab.ts';
import { CommandButton } from './command-button.tsx';
import { onEscape } from './on-escape.ts';
import { SendingNote } from './sending-note.tsx';
import type { SendingForm } from './use-sending.ts';

interface ActionDialogProps {
  readonly title: string;
  readonly form: SendingForm;
  /** The label of the button that sends. */
  readonly action: string;
  readonly isReady?: boolean;
  /** States that another operator has done the same meanwhile; nothing is left to send. */
  readonly alreadyDone?: string | null;
  /** A question has no fields: its focus is on "voltar", so that a second Enter does nothing. */
  readonly isQuestion?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A question, or a form. It is not modal: an alarm that comes meanwhile is visible, read aloud and can be operated. Tab stays
 * in the dialog; Esc closes it from anywhere, and the typed text is kept.
 */
export function ActionDialog(props: ActionDialogProps) {
  const { title, form, action, isQuestion = false, onSubmit, onClose, children } = props;
  // Until the answer comes, the recorded entry may be this desk's own.
  const alreadyDone = form.isLocked ? null : (props.alreadyDone ?? null);
  const isReady = (props.isReady ?? true) && alreadyDone === null;
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpenedLocked = useRef(form.isLocked);
  const titleId = useId();
  useEffect(() => {
    const opened = dialog.current;
    const opener = document.activeElement;
    opened?.show();
    // Nothing can be typed before it is known whether it is recorded.
    const first = isOpenedLocked.current ? '.desk-dialog-foot button' : '[data-first]';
    opened?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      const isLost = opened?.contains(document.activeElement) || document.activeElement === document.body;
      // The opener stands in a column that stays in view: scrolling to its place in the page would hide more than it shows.
      if (isLost && opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, []);
  const latest = useRef({ form, onClose });
  useEffect(() => {
    latest.current = { form, onClose };
  });
  // However it is left, as for another dialog: what was refused is over.
  useEffect(
    () => () => {
      const { form: left } = latest.current;
      if (left.sending.kind === 'refused') left.giveUp();
    },
    [],
  );
  useEffect(() => {
    // A press beside the dialog takes the focus from it.
    const leave = (event: globalThis.KeyboardEvent) => {
      const isBeside = document.activeElement?.matches('body, .actions-panel');
      if (event.key === 'Escape' && isBeside) latest.current.onClose();
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !form.isLocked) onSubmit();
  };
  // A column would clip the dialog.
  return createPortal(
    <dialog
      ref={dialog}
      className="desk-dialog"
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        holdTab(event);
        onEscape(onClose)(event);
      }}
    >
      <form onSubmit={submit}>
        <h2 id={titleId}>{title}</h2>
        <div className="desk-dialog-body">{children}</div>
        {/* In sight wherever the rest is scrolled to. */}
        <div className="desk-dialog-foot">
          <p className="settled" role="status">
            {alreadyDone}
          </p>
          <p className="desk-buttons">
            <button type="button" data-first={isQuestion ? '' : undefined} onClick={onClose}>
              voltar
            </button>
            {/* Not `disabled`: what another desk does would take the focus out of the dialog. */}
            <CommandButton type="submit" className="primary" isLocked={form.isLocked || !isReady}>
              {action}
            </CommandButton>
          </p>
          <SendingNote form={form} />
        </div>
      </form>
    </dialog>,
    document.body,
  );
}
