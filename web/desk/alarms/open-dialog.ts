import { useKept } from './kept-state.ts';

/** What an operator is about to say; there is one dialog at a time, and it outlives a session. */
export type OpenDialog =
  | { readonly kind: 'occurrence' | 'kick-off' | 'entry-closed' | 'evacuation' }
  /** `sector`: the one that is looked at; `undefined`: to be chosen. */
  | { readonly kind: 'mark'; readonly sector: string | undefined }
  | { readonly kind: 'take-back'; readonly entryId: string };

export function useOpenDialog() {
  return useKept<OpenDialog | null>('dialog', null);
}
