import type { LogRow } from '../../../domain/flow/flow-log.ts';
import { makesIncomplete } from '../../../domain/flow/log-state.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { formatTime } from '../event-time.ts';
import { logContextOf } from './log-context.ts';
import { logWords } from './log-words.ts';
import { settledWords } from './settled-words.ts';
import { standingEntry } from './standing-entries.ts';
import { takeBackWords } from './take-back-words.ts';
import { useSending } from './use-sending.ts';

export function EntryClosedDialog({ view, send, onClose, onRecorded }: DialogProps) {
  const closing = standingEntry(view.log, 'entry-closed');
  const form = useSending('entry-closed', send, () => onRecorded('entrada encerrada'));
  return (
    <ActionDialog
      title="Encerrar a entrada?"
      form={form}
      action="encerrar a entrada"
      isQuestion
      settled={closing ? settledWords('Já está encerrada', closing.by, closing.atMs, view) : null}
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

/** A second press is what it asks for: whoever evacuates has no time to type a word. */
export function EvacuationDialog({ view, send, onClose, onRecorded }: DialogProps) {
  const evacuation = standingEntry(view.log, 'evacuation');
  const form = useSending('evacuation', send, () => onRecorded('evacuação registrada'));
  return (
    <ActionDialog
      title="Registrar evacuação?"
      form={form}
      action="registrar evacuação"
      isQuestion
      settled={evacuation ? settledWords('Já está registrada', evacuation.by, evacuation.atMs, view) : null}
      onSubmit={() => form.submit({ kind: 'evacuation' })}
      onClose={onClose}
    >
      <p>
        Todos os alarmes e a previsão param, em todas as mesas. O total passa a dizer “acessos registrados,
        não pessoas presentes”.
      </p>
      <p>Isto não avisa ninguém fora desta sala: acione o plano de evacuação.</p>
      <p className="hint">Pode ser desfeito; as duas linhas ficam no registro.</p>
    </ActionDialog>
  );
}

const WATCHED_AGAIN = 'Alarmes e previsão voltam a valer, se nada mais os suspende.';

/** What follows where this entry is taken back. */
function consequenceOf(entry: LogRow, log: readonly LogRow[]): string | null {
  switch (entry.kind) {
    case 'mark':
      return makesIncomplete(entry.data.mark)
        ? `${WATCHED_AGAIN} Quem passou sem leitura continua fora da contagem.`
        : WATCHED_AGAIN;
    case 'kick-off':
      return standingEntry(log, 'kick-off')?.id === entry.id
        ? 'Volta a valer o horário de antes.'
        : 'O horário que vale não muda: este já foi trocado por outro.';
    case 'entry-closed':
      return 'Alarmes de fluxo e previsão voltam a valer, se nada mais os suspende.';
    case 'evacuation':
      return WATCHED_AGAIN;
    case 'occurrence':
      return 'A ocorrência fica riscada no registro.';
    case 'suspend':
      return 'O alarme volta a chamar.';
    default:
      return null;
  }
}

export function TakeBackDialog(props: DialogProps & { readonly entryId: string }) {
  const { view, send, onClose, onRecorded, entryId } = props;
  const context = logContextOf(view.log, view.sectors, (atMs) => formatTime(atMs, view.state.timeZone));
  const entry = context.find(entryId);
  const { verb, question, done, already } = takeBackWords(entry?.kind);
  const form = useSending(`take-back ${entryId}`, send, () => onRecorded(done));
  const undoing = view.log.find((row) => row.kind === 'take-back' && row.data.id === entryId);
  const who = entry?.by ? `, ${entry.by}` : '';
  return (
    <ActionDialog
      title={question}
      form={form}
      action={verb}
      isQuestion
      settled={undoing ? settledWords(already, undoing.by, undoing.atMs, view) : null}
      onSubmit={() => form.submit({ kind: 'take-back', entryId })}
      onClose={onClose}
    >
      {entry && (
        <p>
          {logWords(entry, context)} ({context.timeOf(entry.atMs)}
          {who})
        </p>
      )}
      {entry && <p>{consequenceOf(entry, view.log)}</p>}
      <p className="hint">As duas linhas ficam no registro.</p>
    </ActionDialog>
  );
}
