import type { TakeBackReason } from '../../model/log/flow-log.ts';
import { useKept } from './kept-state.ts';

/** The open dialog; there is one at a time, and it outlives a session. */
export type OpenDialog =
  | { readonly kind: 'occurrence' | 'kick-off' | 'entry-closed' | 'evacuation' }
  /** `sector` is undefined until it is chosen. `alarm`: the id of the alarm from whose card the dialog was opened. */
  | { readonly kind: 'mark'; readonly sector: string | undefined; readonly alarm?: string }
  /** `markId`: the mark under which people passed uncounted. */
  | { readonly kind: 'estimate'; readonly markId: string }
  /** `why` is defined for marks only. */
  | { readonly kind: 'take-back'; readonly entryId: string; readonly why: TakeBackReason | undefined };

export function useOpenDialog() {
  return useKept<OpenDialog | null>('dialog', null);
}
