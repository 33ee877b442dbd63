import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { holdTab } from './hold-tab.ts';

/**
 * A modal dialog that is open as long as it is drawn. The page below keeps its texts, and has the focus again afterwards.
 * Without `onClose` the dialog cannot be closed.
 */
export function Dialog(props: {
  readonly title: string;
  readonly className?: string;
  readonly onClose?: () => void;
  readonly children: ReactNode;
}) {
  const { title, className, onClose, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The dialog closes before it leaves the page; otherwise the focus would not return.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={className ? `dialog ${className}` : 'dialog'}
      aria-labelledby={titleId}
      onKeyDown={holdTab}
      onCancel={(event) => {
        // The dialog closes by no longer being drawn.
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => {
        // Browsers close a dialog on a second Esc, whatever the page does.
        if (element.current?.isConnected && !element.current.open && !onClose) element.current.showModal();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
