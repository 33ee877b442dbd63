import { readTakenBack } from '../../model/log/taken-back.ts';
import { figuresOf } from '../curve/curve-model.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { EstimateFields, useEstimate } from './estimate-fields.tsx';
import { logContextOf } from '../log/log-context.ts';
import { subjectWords } from '../log/log-words.ts';
import { alreadyWords } from '../log/already-words.ts';
import { takeBackWords } from './take-back-words.ts';
import { estimateAtWords } from './take-back-consequence.ts';
import { nameOf } from './open-dialog.ts';
import { useSending } from './use-sending.ts';

/** Records how many people passed unread under a mark, which may have ended; the newest estimate is active. */
export function EstimateDialog(props: DialogProps & { readonly markId: string }) {
  const { view, send, onClose, onRecorded, markId } = props;
  const context = logContextOf(view.log, view.sectors, view.state.timeZone);
  const mark = context.find(markId);
  const typed = useEstimate(markId, figuresOf(view, mark?.sector ?? null));
  const form = useSending(nameOf({ kind: 'estimate', markId }), send, () => {
    typed.clear();
    onRecorded('estimativa registrada');
  });
  const end = readTakenBack(view.log).get(markId);
  const current = view.state.marks.find(({ id }) => id === markId);
  const endedAtMs = current?.endedAtMs;
  const { already } = takeBackWords('mark', 'mistake');
  return (
    <ActionDialog
      title="estimativa"
      form={form}
      action="registrar"
      isReady={typed.estimate !== null}
      alreadyDone={end?.why === 'mistake' ? alreadyWords(already, end.by, end.atMs, view) : null}
      onSubmit={() => {
        if (typed.estimate) form.submit({ kind: 'estimate', mark: markId, ...typed.estimate });
      }}
      onClose={onClose}
    >
      {mark && <p>{subjectWords(mark, context)}</p>}
      {/* Another desk may give one while this one types. */}
      <p role="status">
        {current?.estimate
          ? `Agora vale ${estimateAtWords(current.estimate, view)}.`
          : 'Ainda sem estimativa.'}
      </p>
      <EstimateFields
        form={typed}
        isLocked={form.isLocked}
        until={endedAtMs === undefined ? 'agora' : context.timeOf(endedAtMs)}
        isFirst
      />
    </ActionDialog>
  );
}
