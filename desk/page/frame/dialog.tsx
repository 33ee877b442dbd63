import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { holdTab } from './hold-tab.ts';

/**
 * A dialog over the page, open for as long as it is drawn: what is below stays as it is, texts included, and has the focus
 * again afterwards. Without `onClose` it cannot be left.
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
  // Closed while it is still in the page: one that is taken out gives the focus back to nobody.
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
        // It is closed by no longer being drawn.
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => {
        // Browsers let nobody be locked in: whoever insists closes it all the same.
        if (element.current?.isConnected && !element.current.open && !onClose) element.current.showModal();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
