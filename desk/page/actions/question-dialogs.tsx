import type { TakeBackReason } from '../../model/log/flow-log.ts';
import { suspensionEndMs } from '../../model/alarms/suspensions.ts';
import { readTakenBack } from '../../model/log/taken-back.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { logContextOf } from '../log/log-context.ts';
import { subjectWords } from '../log/log-words.ts';
import { alreadyWords } from '../log/already-words.ts';
import { activeEntry } from './active-entry.ts';
import { afterMistake, consequenceOf } from './take-back-consequence.ts';
import { settledWords, takeBackWords } from './take-back-words.ts';
import { statedEstimate } from '../span-words.ts';
import { nameOf } from './open-dialog.ts';
import { useSending } from './use-sending.ts';

export function EntryClosedDialog({ view, send, onClose, onRecorded }: DialogProps) {
  const closing = activeEntry(view.log, 'entry-closed');
  const form = useSending('entry-closed', send, () => onRecorded('entrada encerrada'));
  return (
    <ActionDialog
      title="Encerrar a entrada?"
      form={form}
      action="encerrar a entrada"
      isQuestion
      alreadyDone={closing ? alreadyWords('Já está encerrada', closing.by, closing.atMs, view) : null}
      onSubmit={() => form.submit({ kind: 'entry-closed' })}
      onClose={onClose}
    >
      <p>
        Alarmes de fluxo, o de “sem dados” e previsão param. A contagem, a lotação e o registro continuam.
      </p>
      <p className="hint">Pode ser desfeito; as duas linhas ficam no registro.</p>
    </ActionDialog>
  );
}

/** A second press confirms: during an evacuation nobody has time to type a word. */
export function EvacuationDialog({ view, send, onClose, onRecorded }: DialogProps) {
  const evacuation = activeEntry(view.log, 'evacuation');
  const form = useSending('evacuation', send, () => onRecorded('evacuação registrada'));
  return (
    <ActionDialog
      title="Registrar evacuação?"
      form={form}
      action="registrar evacuação"
      isQuestion
      alreadyDone={
        evacuation ? alreadyWords('Já está registrada', evacuation.by, evacuation.atMs, view) : null
      }
      onSubmit={() => form.submit({ kind: 'evacuation' })}
      onClose={onClose}
    >
      <p>
        Todos os alarmes e a previsão param, em todas as mesas. O total passa a dizer “acessos registrados,
        não pessoas presentes”.
      </p>
      {view.evacuationText !== undefined && <p>O telão passa a mostrar “{view.evacuationText}”.</p>}
      <p>
        Isto não avisa {view.evacuationText === undefined ? 'ninguém' : 'mais ninguém'} fora desta sala:
        acione o plano de evacuação.
      </p>
      <p className="hint">Quando acabar: “retirar”, em “em vigor”. As duas linhas ficam no registro.</p>
    </ActionDialog>
  );
}

interface TakeBackDialogProps extends DialogProps {
  readonly entryId: string;
  /** The reason, for a mark only. */
  readonly why: TakeBackReason | undefined;
}

export function TakeBackDialog(props: TakeBackDialogProps) {
  const { view, send, onClose, onRecorded, entryId, why } = props;
  const context = logContextOf(view.log, view.sectors, view.state.timeZone);
  const entry = context.find(entryId);
  const { verb, question, done } = takeBackWords(entry?.kind, why);
  const form = useSending(nameOf({ kind: 'take-back', entryId, why }), send, () => onRecorded(done));
  const before = readTakenBack(view.log).get(entryId);
  const settled = before && settledWords(entry?.kind, why, before.why);
  const already = before && settled ? alreadyWords(settled.already, before.by, before.atMs, view) : null;
  const isOver = settled?.isOver === true;
  const hasEnded = entry?.kind === 'suspend' && suspensionEndMs(entry) <= view.state.nowMs;
  const ended = hasEnded ? `A suspensão terminou às ${context.timeOf(suspensionEndMs(entry))}` : null;
  const who = entry?.by ? `, ${entry.by}` : '';
  const estimate =
    why === 'mistake' ? view.state.marks.find(({ id }) => id === entryId)?.estimate : undefined;
  return (
    <ActionDialog
      title={question}
      form={form}
      action={verb}
      isQuestion
      alreadyDone={isOver ? already : ended}
      onSubmit={() => form.submit({ kind: 'take-back', entryId, ...(why && { why }) })}
      onClose={onClose}
    >
      {entry && (
        <p>
          {subjectWords(entry, context)} ({context.timeOf(entry.atMs)}
          {who}) {/* Another desk may end the mark while this one reads. */}
          <b role="status">{isOver ? null : already}</b>
        </p>
      )}
      {entry && before && !form.isLocked && <p>{afterMistake(entry, why, before.why, view)}</p>}
      {estimate && <p>Uma estimativa diz o contrário: {statedEstimate(estimate)}.</p>}
      {entry && (form.isLocked || !isOver) && <p>{consequenceOf(entry, why, view)}</p>}
      <p className="hint">As duas linhas ficam no registro.</p>
    </ActionDialog>
  );
}
