import type { DeskFigures } from '../../model/desk-state.ts';
import { whyTooMany } from './estimate-limit.ts';
import { useKept } from './kept-state.ts';
import { TextField } from './text-field.tsx';
import { TextLimit } from './text-limit.tsx';

export interface EstimateForm {
  readonly count: string;
  readonly how: string;
  readonly setCount: (count: string) => void;
  readonly setHow: (how: string) => void;
  /** The estimate to send; null while it is incomplete. */
  readonly estimate: { readonly count: number; readonly how: string } | null;
  readonly isEmpty: boolean;
  /** Why the count cannot be right; null where it can. */
  readonly fault: string | null;
  readonly clear: () => void;
}

/** The fields of an estimate; `key` names the dialog, and the figures are of where it is for. */
export function useEstimate(key: string, figures: Pick<DeskFigures, 'valid' | 'capacity'>): EstimateForm {
  const [count, setCount] = useKept(`estimate count ${key}`, '');
  const [how, setHow] = useKept(`estimate how ${key}`, '');
  const digits = count.replaceAll(/[.\s]/g, '');
  const number = /^\d{1,7}$/.test(digits) ? Number(digits) : 0;
  const fault = whyTooMany(number, figures);
  const isWhole = number > 0 && fault === null && how.trim() !== '';
  return {
    count,
    how,
    setCount,
    setHow,
    estimate: isWhole ? { count: number, how: how.trim() } : null,
    fault,
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
  /** "agora", or the end of the mark: people passed until then. */
  readonly until: string;
  /** The dialog has no field before these. */
  readonly isFirst: boolean;
}

export function EstimateFields({ form, isLocked, until, isFirst }: EstimateFieldsProps) {
  const { count, how, setCount, setHow, estimate, fault, isEmpty } = form;
  return (
    <>
      <label>
        passaram sem leitura até {until}, cerca de
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
      <p className={fault === null ? 'hint' : ''} role="status">
        {fault ??
          (isEmpty || estimate
            ? 'A estimativa fica ao lado da contagem, nunca dentro dela; a previsão conta com ela.'
            : 'Uma estimativa é um número de pessoas, com o modo como foi feita.')}
      </p>
    </>
  );
}
