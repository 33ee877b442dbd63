import type { CommandOutcome } from '../desk-view.ts';

/** How it stands with a command: what became of one that was not recorded stays until it is answered. `what` was given. */
export type Sending =
  | { readonly kind: 'idle' }
  | ({ readonly what: unknown } & (
      | { readonly kind: 'pending' }
      | Exclude<CommandOutcome, { readonly kind: 'recorded' }>
    ));

/** Whether the command may be recorded already: its fields do not change. */
export function isUnderWay(
  sending: Sending,
): sending is Extract<Sending, { readonly kind: 'pending' | 'unsent' }> {
  return sending.kind === 'pending' || sending.kind === 'unsent';
}

export const IDLE: Sending = { kind: 'idle' };
