import type { TakeBackReason } from '../../model/log/flow-log.ts';
import { useKept } from './kept-state.ts';

/** What an operator is about to say; there is one dialog at a time, and it outlives a session. */
export type OpenDialog =
  | { readonly kind: 'occurrence' | 'kick-off' | 'entry-closed' | 'evacuation' }
  /** `sector`: the one that is looked at; `undefined`: to be chosen. `alarm`: the id of the one from whose card it is opened. */
  | { readonly kind: 'mark'; readonly sector: string | undefined; readonly alarm?: string }
  /** `markId`: of a mark under which people passed uncounted. */
  | { readonly kind: 'estimate'; readonly markId: string }
  /** `why`: of a mark; `undefined`: of anything else. */
  | { readonly kind: 'take-back'; readonly entryId: string; readonly why: TakeBackReason | undefined };

export function useOpenDialog() {
  return useKept<OpenDialog | null>('dialog', null);
}
