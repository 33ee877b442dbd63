import type { Mark } from '../../model/log/flow-log.ts';
import { makesIncomplete } from '../../model/log/marks.ts';
import { formatAge } from '../../../page/design/number-format.ts';
import { figuresOf } from '../curve/curve-model.ts';
import { formatTime } from '../event-time.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { EstimateFields, useEstimate } from './estimate-fields.tsx';
import { useKept } from './kept-state.ts';
import type { MarkedFrom } from './open-dialog.ts';
import { MARK_WORDS } from '../alarms/rule-words.ts';
import { sectorName } from './sector-name.ts';
import { SectorSelect } from './sector-select.tsx';
import { alreadyWords } from '../log/already-words.ts';
import { UNESTIMATED } from './take-back-consequence.ts';
import { checkSince } from './since-time.ts';
import { useSending } from './use-sending.ts';

const MEANINGS: Readonly<Record<Mark, string>> = {
  unscanned: 'pessoas passam e não são contadas',
  suspended: 'ninguém deve passar por ora; a contagem está certa',
  elsewhere: 'as leituras não chegam a esta contagem',
};

const INCOMPLETE = `“Contagem incompleta: no mínimo” no total e no setor, na mesa, no telão e no papel, também depois que acabar. Alarmes de fluxo do setor param até lá; ${UNESTIMATED}.`;
const SUSPENDED =
  'Até acabar: alarmes de fluxo e faixa do setor param; a previsão é do resto do estádio, ou fica sem faixa.';

const MARKS = Object.keys(MARK_WORDS) as Mark[];

interface MarkDialogProps extends DialogProps {
  /** Names what was chosen and typed: it belongs to what opened the dialog. */
  readonly name: string;
  readonly card: MarkedFrom | undefined;
}

export function MarkDialog(props: MarkDialogProps) {
  const { view, send, name, card, onClose, onRecorded } = props;
  const { nowMs, timeZone, marks } = view.state;
  const [sector, setSector] = useKept<string | null | undefined>(`mark of ${name}`, undefined);
  const [chosenMark, setMark] = useKept<Mark | undefined>(`mark as ${name}`, undefined);
  const [typedSince, setSince] = useKept<string | undefined>(`mark since ${name}`, undefined);
  const typed = sector === undefined ? card?.sector : sector;
  const estimate = useEstimate(name, figuresOf(view, typed ?? null));
  const form = useSending(name, send, () => {
    setSector(undefined);
    setMark(undefined);
    setSince(undefined);
    estimate.clear();
    onRecorded('setor marcado');
  });
  // What was given is what is written, whatever would be proposed by now.
  const sent = form.sent?.kind === 'mark' ? form.sent : undefined;
  const chosen = sent ? sent.sector : typed;
  const mark = sent?.mark ?? chosenMark;
  const called = view.state.alarms.find(
    ({ id, acknowledged }) => id === card?.alarm && acknowledged === null,
  );
  const alarm = called && chosen === called.sector ? called.id : undefined;
  const lastMs = chosen === undefined ? null : figuresOf(view, chosen).lastEntryAtMs;
  const proposedMs = Math.round(Math.min(lastMs ?? nowMs, nowMs));
  const time =
    sent?.sinceMs === undefined
      ? (typedSince ?? formatTime(proposedMs, timeZone))
      : formatTime(sent.sinceMs, timeZone);
  const since = checkSince(time, { proposedMs, nowMs, timeZone });
  const isUncounted = mark !== undefined && makesIncomplete(mark);
  const same = marks.find(
    (other) => other.sector === chosen && other.mark === mark && other.endedAtMs === undefined,
  );
  const entry = view.log.find(({ id }) => id === same?.id);
  const isEstimated = isUncounted && !estimate.isEmpty;
  const toEstimate = isEstimated ? '. A estimativa se lança na marca, em “estimativa”.' : '';
  const command =
    chosen === undefined ||
    mark === undefined ||
    since.kind === 'fault' ||
    (isEstimated && !estimate.estimate)
      ? null
      : ({
          kind: 'mark',
          sector: chosen,
          mark,
          sinceMs: since.sinceMs,
          ...(isEstimated && estimate.estimate && { estimate: estimate.estimate }),
          ...(alarm !== undefined && { alarm }),
        } as const);
  // What was refused was another choice. The fields are locked while a command may still be recorded.
  return (
    <ActionDialog
      title="marcar setor"
      form={form}
      action="marcar"
      isReady={command !== null}
      alreadyDone={
        entry ? `${alreadyWords('Já está marcado', entry.by, entry.atMs, view)}${toEstimate}` : null
      }
      onSubmit={() => {
        if (command) form.submit(command);
      }}
      onClose={onClose}
    >
      <SectorSelect
        label="setor"
        sectors={view.sectors}
        value={chosen}
        disabled={form.isLocked}
        onChange={(choice) => {
          // Time and estimate were of the other one.
          if (chosen !== undefined && choice !== chosen) {
            setSince(undefined);
            estimate.clear();
          }
          setSector(choice);
          form.giveUp();
        }}
      />
      <fieldset className="desk-options" disabled={form.isLocked}>
        <legend>o que acontece lá</legend>
        {MARKS.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="mark"
              checked={mark === choice}
              onChange={() => {
                setMark(choice);
                form.giveUp();
              }}
            />
            <span>
              {MARK_WORDS[choice]}
              <small>{MEANINGS[choice]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {chosen !== undefined && (
        <>
          <label>
            desde ({timeZone})
            <input
              type="time"
              value={time}
              required
              readOnly={form.isLocked}
              onChange={(event) => setSince(event.currentTarget.value)}
            />
          </label>
          <p className={since.kind === 'fault' ? '' : 'hint'} role="status">
            {since.kind === 'fault'
              ? since.message
              : [
                  lastWords(lastMs, timeZone),
                  since.sinceMs === proposedMs ? '' : `${time} foi há ${formatAge(nowMs - since.sinceMs)}.`,
                ].join(' ')}
          </p>
        </>
      )}
      {isUncounted && (
        <EstimateFields form={estimate} isLocked={form.isLocked} until="agora" isFirst={false} />
      )}
      {mark !== undefined && <p className="hint">{isUncounted ? INCOMPLETE : SUSPENDED}</p>}
      {called && (
        <p className="hint">{alarmWords(sectorName(view.sectors, called.sector), alarm !== undefined)}</p>
      )}
    </ActionDialog>
  );
}

function alarmWords(name: string, isAcknowledged: boolean): string {
  return isAcknowledged
    ? `Marcar vale como “ciente” do alarme de ${name}.`
    : `O alarme de ${name} continua sem “ciente”.`;
}

function lastWords(lastMs: number | null, timeZone: string): string {
  return lastMs === null
    ? 'Nenhuma leitura ainda: a proposta é agora.'
    : `A última leitura foi às ${formatTime(lastMs, timeZone)}.`;
}
