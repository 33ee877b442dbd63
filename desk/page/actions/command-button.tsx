import type { ComponentProps, MouseEvent } from 'react';
import { RECORD_NOTICE_ID, useRecordAway } from './record-away.ts';

interface CommandButtonProps extends ComponentProps<'button'> {
  /** It has been pressed, and waits for the answer. */
  readonly isLocked?: boolean;
}

/**
 * Sends a command, or leads to one. Where none would be taken it says so and does nothing, but keeps the focus: whoever
 * waits there goes on from there.
 */
export function CommandButton({ isLocked = false, onClick, ...button }: CommandButtonProps) {
  const isAway = useRecordAway();
  const isRefused = isAway || isLocked;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // A form is not sent either: Enter in a field presses its button.
    if (isRefused) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...button}
      aria-disabled={isRefused || undefined}
      aria-describedby={isAway ? RECORD_NOTICE_ID : undefined}
      onClick={press}
    />
  );
}
