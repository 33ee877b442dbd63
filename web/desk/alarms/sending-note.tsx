import { CommandButton } from './command-button.tsx';
import { RecordAwayNote } from './record-away-note.tsx';
import type { SendingForm } from './use-sending.ts';

/** What became of a command that is not recorded yet, below its form. */
export function SendingNote({ form }: { readonly form: Omit<SendingForm, 'submit'> }) {
  const { sending, retry, giveUp } = form;
  return (
    <div className="sending" role="status">
      {sending.kind !== 'pending' && <RecordAwayNote />}
      {sending.kind === 'pending' && <p>registrando… Fechar não cancela.</p>}
      {sending.kind === 'refused' && <p>Não registrado: {sending.message}</p>}
      {sending.kind === 'unknown' && (
        <>
          <p>Não se sabe se foi registrado: {sending.message}</p>
          <p className="desk-buttons">
            <CommandButton className="primary" onClick={retry}>
              tentar de novo
            </CommandButton>
            <button type="button" onClick={giveUp}>
              desistir
            </button>
          </p>
          <p className="hint">Repetido, é escrito uma vez só. Quem desiste confere no registro.</p>
        </>
      )}
    </div>
  );
}
