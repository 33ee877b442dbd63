import { CommandButton } from './command-button.tsx';
import type { SendingForm } from './use-sending.ts';

/** States why typed text can no longer be sent as intended, and offers to record or discard it. */
export function UnsentText(props: {
  readonly why: string;
  readonly form: SendingForm;
  readonly onDiscard: () => void;
}) {
  const { why, form, onDiscard } = props;
  return (
    <div className="unsent">
      <p role="alert">
        <b>{why}.</b> O que você escreveu não foi registrado.
      </p>
      <p className="desk-buttons">
        <CommandButton type="submit" className="primary" isLocked={form.isLocked}>
          registrar como ocorrência
        </CommandButton>
        <button type="button" disabled={form.isLocked} onClick={onDiscard}>
          descartar
        </button>
      </p>
    </div>
  );
}
