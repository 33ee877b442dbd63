import { CommandButton } from './command-button.tsx';
import type { SendingForm } from './use-sending.ts';

const RECORD = 'registrar como ocorrência';

/** Beside what was typed: `why` it can no longer be sent as what it was meant for, and the two ways out. */
export function UnsentText(props: {
  readonly why: string;
  readonly form: SendingForm;
  readonly onDiscard: () => void;
  /** Another alarm has replaced this one: the form takes what was typed to it, unless this is pressed. */
  readonly onRecord?: (() => void) | undefined;
}) {
  const { why, form, onDiscard, onRecord } = props;
  return (
    <div className="unsent">
      <p role="alert">
        <b>{why}.</b> O que você escreveu não foi registrado.
      </p>
      <p className="desk-buttons">
        <CommandButton type="submit" className="primary" isLocked={form.isLocked}>
          {onRecord ? 'levar a nota a esse alarme' : RECORD}
        </CommandButton>
        {onRecord && (
          <CommandButton isLocked={form.isLocked} onClick={onRecord}>
            {RECORD}
          </CommandButton>
        )}
        <button type="button" disabled={form.isLocked} onClick={onDiscard}>
          descartar
        </button>
      </p>
    </div>
  );
}
