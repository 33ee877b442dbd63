import { type FormEvent, useEffect, useRef } from 'react';
import type { SendCommand } from '../desk-view.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';
import { onEscape } from './on-escape.ts';
import { useKept } from './kept-state.ts';
import { SendingNote } from './sending-note.tsx';
import { useSending } from './use-sending.ts';

interface AcknowledgeFormProps {
  /** Its id. */
  readonly alarm: string;
  readonly title: string;
  readonly send: SendCommand;
  readonly onClose: () => void;
  readonly onRecorded: () => void;
}

/** The second "ciente" stands where the first one stood; Enter is the same, Esc goes back. */
export function AcknowledgeForm({ alarm, title, send, onClose, onRecorded }: AcknowledgeFormProps) {
  const [note, setNote] = useKept(`note ${alarm}`, '');
  const input = useRef<HTMLInputElement>(null);
  const form = useSending(`acknowledge ${alarm}`, send, () => {
    setNote('');
    onRecorded();
  });
  useEffect(() => input.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    form.submit({ kind: 'acknowledge', alarm, note: note.trim() === '' ? null : note.trim() });
  };
  return (
    <form
      className="alarm-form"
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
      aria-label={`ciente: ${title}`}
    >
      <p className="desk-buttons">
        <button type="submit" className="primary" disabled={form.isLocked}>
          ciente ↵
        </button>
        <button type="button" onClick={onClose}>
          voltar
        </button>
      </p>
      <label>
        nota (opcional)
        <input
          ref={input}
          value={note}
          maxLength={MAX_TEXT_LENGTH}
          readOnly={form.isLocked}
          autoComplete="off"
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </label>
      <SendingNote form={form} />
    </form>
  );
}
