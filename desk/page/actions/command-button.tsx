import type { ComponentProps, MouseEvent } from 'react';
import { RECORD_NOTICE_ID, useRecordUnavailable } from './record-unavailable.ts';

interface CommandButtonProps extends ComponentProps<'button'> {
  /** The command has been sent and has no answer yet. */
  readonly isLocked?: boolean;
}

/**
 * Sends a command, or opens its form. While no command would be accepted, the button does nothing and describes why, but
 * keeps the focus for an operator who waits.
 */
export function CommandButton({ isLocked = false, onClick, ...button }: CommandButtonProps) {
  const isUnavailable = useRecordUnavailable();
  const isRefused = isUnavailable || isLocked;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // Enter in a field presses the button of its form, which must not be sent either.
    if (isRefused) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...button}
      aria-disabled={isRefused || undefined}
      aria-describedby={isUnavailable ? RECORD_NOTICE_ID : undefined}
      onClick={press}
    />
  );
}
