import type { LogRow, TakeBackReason } from '../../model/log/flow-log.ts';
import { suspensionEndMs } from '../../model/alarms/suspensions.ts';
import { makesIncomplete } from '../../model/log/marks.ts';
import { readTakenBack } from '../../model/log/taken-back.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { formatTime } from '../event-time.ts';
import { logContextOf } from '../log/log-context.ts';
import { logWords } from '../log/log-words.ts';
import { alreadyWords } from '../log/already-words.ts';
import { activeEntry } from './active-entry.ts';
import { settledWords, takeBackWords } from './take-back-words.ts';
import { statedEstimate } from '../span-words.ts';
import { nameOf } from './unanswered.tsx';
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

const WATCHED_AGAIN = 'Alarmes e previsão voltam a valer, se nada mais os suspende.';

const STAYS_INCOMPLETE =
  'Alarmes de fluxo voltam a valer, se nada mais os suspende. Quem passou sem leitura continua fora da contagem: setor e total ficam “no mínimo” até o fim do jogo, e a previsão precisa de uma estimativa.';
const WHOLE_AGAIN =
  'Só se ninguém passou sem leitura: setor e total voltam a ser a contagem inteira, na mesa, no telão e no papel.';

/** Describes the consequence of taking this entry back. */
function consequenceOf(
  entry: LogRow,
  why: TakeBackReason | undefined,
  log: readonly LogRow[],
): string | null {
  switch (entry.kind) {
    case 'mark':
      if (!makesIncomplete(entry.data.mark)) return WATCHED_AGAIN;
      return why === 'mistake' ? WHOLE_AGAIN : STAYS_INCOMPLETE;
    case 'estimate':
      return 'Vale a estimativa de antes, se havia uma.';
    case 'kick-off':
      return activeEntry(log, 'kick-off')?.id === entry.id
        ? 'Volta a valer o horário de antes.'
        : 'O horário que vale não muda: este já foi trocado por outro.';
    case 'entry-closed':
      return 'Alarmes de fluxo e previsão voltam a valer, se nada mais os suspende.';
    case 'evacuation':
      return WATCHED_AGAIN;
    case 'occurrence':
      return 'A ocorrência fica riscada no registro.';
    case 'suspend':
      return 'Se o problema continua, o alarme chama de novo.';
    default:
      return null;
  }
}

interface TakeBackDialogProps extends DialogProps {
  readonly entryId: string;
  /** The reason, for a mark only. */
  readonly why: TakeBackReason | undefined;
}

export function TakeBackDialog(props: TakeBackDialogProps) {
  const { view, send, onClose, onRecorded, entryId, why } = props;
  const context = logContextOf(view.log, view.sectors, (atMs) => formatTime(atMs, view.state.timeZone));
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
          {logWords(entry, context)} ({context.timeOf(entry.atMs)}
          {who}) {/* Another desk may end the mark while this one reads. */}
          <b role="status">{isOver ? null : already}</b>
        </p>
      )}
      {estimate && <p>Uma estimativa diz o contrário: {statedEstimate(estimate)}.</p>}
      {entry && (form.isLocked || !isOver) && <p>{consequenceOf(entry, why, view.log)}</p>}
      <p className="hint">As duas linhas ficam no registro.</p>
    </ActionDialog>
  );
}
