import { CommandButton } from './command-button.tsx';
import { RecordUnavailableNote } from './record-unavailable-note.tsx';
import type { SendingForm } from './use-sending.ts';

/** What became of a command that is not recorded yet, below its form. */
export function SendingNote({ form }: { readonly form: Omit<SendingForm, 'submit' | 'sent'> }) {
  const { sending, retry, giveUp } = form;
  return (
    <div className="sending" role="status">
      {sending.kind !== 'pending' && <RecordUnavailableNote />}
      {sending.kind === 'pending' && <p>registrando… Fechar não cancela.</p>}
      {sending.kind === 'refused' && <p>Não registrado: {sending.message}</p>}
      {sending.kind === 'unsent' && (
        <>
          <p>
            Não registrado, dado às {sending.givenAt}: {sending.message}
          </p>
          <p className="desk-buttons">
            <CommandButton className="primary" onClick={retry}>
              repetir
            </CommandButton>
            <button type="button" onClick={giveUp}>
              descartar
            </button>
          </p>
          <p className="hint">Não é mais enviado sozinho. Repetido, é escrito uma vez só.</p>
        </>
      )}
    </div>
  );
}
