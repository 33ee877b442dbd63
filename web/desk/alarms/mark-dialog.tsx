import type { Mark } from '../../../domain/flow/flow-log.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { DialogProps } from './dialog-props.ts';
import { useKept } from './kept-state.ts';
import { MARK_WORDS } from './rule-words.ts';
import { settledWords } from './settled-words.ts';
import { SectorSelect } from './sector-select.tsx';
import { useSending } from './use-sending.ts';

/** What each mark means for the count. */
const MEANINGS: Readonly<Record<Mark, string>> = {
  unscanned: 'pessoas passam e não são contadas',
  suspended: 'ninguém deve passar por ora; a contagem está certa',
  elsewhere: 'as leituras não chegam a esta contagem',
};

const CONSEQUENCES: Readonly<Record<Mark, string>> = {
  unscanned:
    'Até ser retirada: “contagem incompleta” no total, no setor e no registro; alarmes de fluxo do setor e previsão param.',
  suspended: 'Até ser retirada: alarmes de fluxo do setor e a faixa da previsão param.',
  elsewhere:
    'Até ser retirada: “contagem incompleta” no total, no setor e no registro; alarmes de fluxo do setor e previsão param.',
};

const MARKS = Object.keys(MARK_WORDS) as Mark[];

/** `sector`: the one from whose alarm it was opened. */
export function MarkDialog(props: DialogProps & { readonly sector: string | undefined }) {
  const { view, send, onClose, onRecorded } = props;
  const [sector, setSector] = useKept<string | null | undefined>('mark of', undefined);
  const [mark, setMark] = useKept<Mark | undefined>('mark', undefined);
  const chosen = sector === undefined ? props.sector : sector;
  const same = view.state.marks.find((other) => other.sector === chosen && other.mark === mark);
  const form = useSending('mark', send, () => {
    setSector(undefined);
    setMark(undefined);
    onRecorded('setor marcado');
  });
  return (
    <ActionDialog
      title="marcar setor"
      form={form}
      action="marcar"
      isReady={chosen !== undefined && mark !== undefined}
      settled={same ? settledWords('Já está marcado', same.by, same.sinceMs, view) : null}
      onSubmit={() => {
        if (chosen !== undefined && mark !== undefined) form.submit({ kind: 'mark', sector: chosen, mark });
      }}
      onClose={onClose}
    >
      <SectorSelect
        label="setor"
        sectors={view.sectors}
        value={chosen}
        disabled={form.isLocked}
        onChange={setSector}
      />
      <fieldset className="desk-options" disabled={form.isLocked}>
        <legend>o que acontece lá</legend>
        {MARKS.map((choice) => (
          <label key={choice}>
            <input type="radio" name="mark" checked={mark === choice} onChange={() => setMark(choice)} />
            <span>
              {MARK_WORDS[choice]}
              <small>{MEANINGS[choice]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {mark !== undefined && <p className="hint">{CONSEQUENCES[mark]}</p>}
    </ActionDialog>
  );
}
