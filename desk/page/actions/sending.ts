import type { CommandOutcome } from '../desk-view.ts';

/** The state of a command; the outcome of one that was not recorded stays until the operator decides. */
export type Sending =
  | { readonly kind: 'idle' | 'pending' }
  | Exclude<CommandOutcome, { readonly kind: 'recorded' }>;

export const IDLE: Sending = { kind: 'idle' };
