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
  /** Of the button that sends. */
  readonly action: string;
  readonly isReady?: boolean;
  /** Somebody has said the same meanwhile: in words, and nothing is left to be sent. */
  readonly settled?: string | null;
  /** Nothing is typed here: the focus is on the way back, so that Enter pressed twice does nothing. */
  readonly isQuestion?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A question, or a form. It is not modal: an alarm that comes while somebody types is seen, heard by screen readers and can
 * be pressed. Tab stays in it; Esc leaves it from wherever the focus is, and what was typed is kept.
 */
export function ActionDialog(props: ActionDialogProps) {
  const { title, form, action, isQuestion = false, onSubmit, onClose, children } = props;
  // Until the answer is there, it may be this desk's own.
  const settled = form.isLocked ? null : (props.settled ?? null);
  const isReady = (props.isReady ?? true) && settled === null;
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpenedLocked = useRef(form.isLocked);
  const titleId = useId();
  const close = () => {
    // It has been read.
    if (form.sending.kind === 'refused') form.giveUp();
    onClose();
  };
  useEffect(() => {
    const opened = dialog.current;
    const opener = document.activeElement;
    opened?.show();
    // Nothing can be typed before it is known whether it is recorded.
    const first = isOpenedLocked.current ? '.desk-dialog-foot button' : '[data-first]';
    opened?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      const isLost = opened?.contains(document.activeElement) || document.activeElement === document.body;
      // It stands in a column that stays in view: going to where it is in the page would scroll what matters away.
      if (isLost && opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, []);
  const closeLatest = useRef(close);
  useEffect(() => {
    closeLatest.current = close;
  });
  useEffect(() => {
    // Whoever pressed beside it has the focus nowhere.
    const leave = (event: globalThis.KeyboardEvent) => {
      if (event.key === 'Escape' && document.activeElement === document.body) closeLatest.current();
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !form.isLocked) onSubmit();
  };
  // In no column: it would be cut by it.
  return createPortal(
    <dialog
      ref={dialog}
      className="desk-dialog"
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        holdTab(event);
        onEscape(close)(event);
      }}
    >
      <form onSubmit={submit}>
        <h2 id={titleId}>{title}</h2>
        <div className="desk-dialog-body">{children}</div>
        {/* In sight wherever the rest is scrolled to. */}
        <div className="desk-dialog-foot">
          <p className="settled" role="status">
            {settled}
          </p>
          <p className="desk-buttons">
            <button type="button" data-first={isQuestion ? '' : undefined} onClick={close}>
              voltar
            </button>
            <CommandButton type="submit" className="primary" isLocked={form.isLocked} disabled={!isReady}>
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
