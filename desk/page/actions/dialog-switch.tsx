import type { DialogProps } from './dialog-props.ts';
import { EstimateDialog } from './estimate-dialog.tsx';
import { KickOffDialog } from './kick-off-dialog.tsx';
import { MarkDialog } from './mark-dialog.tsx';
import { OccurrenceDialog } from './occurrence-dialog.tsx';
import { nameOf, type OpenDialog } from './open-dialog.ts';
import { EntryClosedDialog, EvacuationDialog, TakeBackDialog } from './question-dialogs.tsx';

export function DialogSwitch({
  dialog,
  props,
}: {
  readonly dialog: OpenDialog;
  readonly props: DialogProps;
}) {
  switch (dialog.kind) {
    case 'occurrence':
      return <OccurrenceDialog {...props} />;
    case 'mark':
      return <MarkDialog key={nameOf(dialog)} {...props} name={nameOf(dialog)} card={dialog.card} />;
    case 'kick-off':
      return <KickOffDialog {...props} />;
    case 'entry-closed':
      return <EntryClosedDialog {...props} />;
    case 'evacuation':
      return <EvacuationDialog {...props} />;
    case 'take-back':
      return (
        <TakeBackDialog
          key={`${dialog.entryId} ${dialog.why}`}
          {...props}
          entryId={dialog.entryId}
          why={dialog.why}
        />
      );
    case 'estimate':
      return <EstimateDialog key={dialog.markId} {...props} markId={dialog.markId} />;
    default:
      return null;
  }
}
