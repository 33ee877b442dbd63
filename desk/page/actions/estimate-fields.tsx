import { useKept } from './kept-state.ts';
import { TextField } from './text-field.tsx';
import { TextLimit } from './text-limit.tsx';

/** No stadium holds more. */
const MOST = 1_000_000;

export interface EstimateForm {
  readonly count: string;
  readonly how: string;
  readonly setCount: (count: string) => void;
  readonly setHow: (how: string) => void;
  /** The estimate to send; null while it is incomplete. */
  readonly estimate: { readonly count: number; readonly how: string } | null;
  readonly isEmpty: boolean;
  readonly clear: () => void;
}

/** The fields of an estimate; `key` names the dialog. */
export function useEstimate(key: string): EstimateForm {
  const [count, setCount] = useKept(`estimate count ${key}`, '');
  const [how, setHow] = useKept(`estimate how ${key}`, '');
  const digits = count.replaceAll(/[.\s]/g, '');
  const number = /^\d{1,7}$/.test(digits) ? Number(digits) : 0;
  const isWhole = number > 0 && number <= MOST && how.trim() !== '';
  return {
    count,
    how,
    setCount,
    setHow,
    estimate: isWhole ? { count: number, how: how.trim() } : null,
    isEmpty: count.trim() === '' && how.trim() === '',
    clear() {
      setCount('');
      setHow('');
    },
  };
}

interface EstimateFieldsProps {
  readonly form: EstimateForm;
  readonly isLocked: boolean;
  /** The dialog has no field before these. */
  readonly isFirst: boolean;
}

export function EstimateFields({ form, isLocked, isFirst }: EstimateFieldsProps) {
  const { count, how, setCount, setHow, estimate, isEmpty } = form;
  return (
    <>
      <label>
        passaram sem leitura até agora, cerca de
        <input
          value={count}
          inputMode="numeric"
          autoComplete="off"
          data-first={isFirst ? '' : undefined}
          readOnly={isLocked}
          onChange={(event) => setCount(event.currentTarget.value)}
        />
      </label>
      <TextField label="como foi estimado" value={how} readOnly={isLocked} onText={setHow} />
      <TextLimit text={how} />
      <p className="hint" role="status">
        {isEmpty || estimate
          ? 'A estimativa fica ao lado da contagem, nunca dentro dela; a previsão conta com ela.'
          : 'Uma estimativa é um número de pessoas, com o modo como foi feita.'}
      </p>
    </>
  );
}
