import type { TakeBackReason } from '../../model/log/flow-log.ts';
import { keep, useKept } from './kept-state.ts';

/** An alarm of one sector. */
export interface MarkedFrom {
  readonly sector: string;
  readonly alarm: string;
}

/** The open dialog; there is one at a time, and it outlives a session. */
export type OpenDialog =
  | { readonly kind: 'occurrence' | 'kick-off' | 'entry-closed' | 'evacuation' }
  /** `card`: the alarm from whose card the dialog was opened. */
  | { readonly kind: 'mark'; readonly card?: MarkedFrom }
  /** `markId`: the mark under which people passed uncounted. */
  | { readonly kind: 'estimate'; readonly markId: string }
  /** `why` is defined for marks only. */
  | { readonly kind: 'take-back'; readonly entryId: string; readonly why: TakeBackReason | undefined };

export function useOpenDialog() {
  return useKept<OpenDialog | null>('dialog', null);
}

/** Opens the question that marks a sector from an alarm's card: it begins with that sector, whatever was chosen before. */
export function useMarkFromCard(): (card: MarkedFrom) => void {
  const [, setDialog] = useOpenDialog();
  return (card) => {
    const dialog = { kind: 'mark', card } as const;
    keep(`mark of ${nameOf(dialog)}`, undefined);
    setDialog(dialog);
  };
}

/** Begins the name of a mark from a card. */
const OF_CARD = 'mark ';

/** The dialog's key in use-sending.ts. */
export function nameOf(dialog: OpenDialog): string {
  switch (dialog.kind) {
    case 'take-back':
      return `take-back ${dialog.entryId}${dialog.why ? ` ${dialog.why}` : ''}`;
    case 'estimate':
      return `estimate ${dialog.markId}`;
    case 'mark':
      return dialog.card ? `${OF_CARD}${JSON.stringify(dialog.card)}` : 'mark';
    default:
      return dialog.kind;
  }
}

/** Returns `undefined` for a command of an alarm's card. */
export function dialogNamed(name: string): OpenDialog | undefined {
  const [kind, entryId, why] = name.split(' ');
  if (kind === 'take-back' && entryId !== undefined)
    return { kind, entryId, why: why as TakeBackReason | undefined };
  if (kind === 'estimate' && entryId !== undefined) return { kind, markId: entryId };
  if (name.startsWith(OF_CARD))
    return { kind: 'mark', card: JSON.parse(name.slice(OF_CARD.length)) as MarkedFrom };
  switch (name) {
    case 'mark':
    case 'occurrence':
    case 'kick-off':
    case 'entry-closed':
    case 'evacuation':
      return { kind: name };
    default:
      return undefined;
  }
}
