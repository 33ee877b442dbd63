import { type FormEvent, useEffect, useRef } from 'react';
import { type Alarm, SUSPENSION_MINUTES, type SuspensionMinutes } from '../../../domain/flow/alarms/alarm.ts';
import type { SendCommand } from '../desk-view.ts';
import { useKept } from './kept-state.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';
import { onEscape } from './on-escape.ts';
import { SendingNote } from './sending-note.tsx';
import { useSending } from './use-sending.ts';

interface SuspendFormProps {
  readonly alarm: Pick<Alarm, 'id' | 'rule' | 'sector'>;
  readonly title: string;
  readonly send: SendCommand;
  readonly onClose: () => void;
}

/** For how long, and why: whoever comes next reads it. */
export function SuspendForm({ alarm, title, send, onClose }: SuspendFormProps) {
  const { id, rule, sector } = alarm;
  const [reason, setReason] = useKept(`reason ${id}`, '');
  const [minutes, setMinutes] = useKept<SuspensionMinutes>(`minutes ${id}`, 15);
  const input = useRef<HTMLInputElement>(null);
  const form = useSending(`suspend ${id}`, send, () => {
    setReason('');
    setMinutes(15);
    onClose();
  });
  useEffect(() => input.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    form.submit({ kind: 'suspend', rule, sector, minutes, reason: reason.trim() });
  };
  return (
    <form
      className="alarm-form"
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
      aria-label={`suspender: ${title}`}
    >
      <fieldset className="desk-choices" disabled={form.isLocked}>
        <legend>não chamar por</legend>
        {SUSPENSION_MINUTES.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name={`minutes ${id}`}
              checked={minutes === choice}
              onChange={() => setMinutes(choice)}
            />
            {choice} min
          </label>
        ))}
      </fieldset>
      <label>
        motivo
        <input
          ref={input}
          value={reason}
          required
          pattern=".*\S.*"
          title="diga por quê: quem assume a mesa lê isto"
          maxLength={MAX_TEXT_LENGTH}
          readOnly={form.isLocked}
          autoComplete="off"
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <p className="desk-buttons">
        <button type="submit" className="primary" disabled={form.isLocked}>
          suspender {minutes} min
        </button>
        <button type="button" onClick={onClose}>
          voltar
        </button>
      </p>
      <SendingNote form={form} />
    </form>
  );
}
