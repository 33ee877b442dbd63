import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { type Alarm, SUSPENSION_MINUTES, type SuspensionMinutes } from '../../model/alarms/alarm.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { CommandButton } from '../actions/command-button.tsx';
import { useKept } from '../actions/kept-state.ts';
import { onEscape } from '../actions/on-escape.ts';
import { SendingNote } from '../actions/sending-note.tsx';
import { TextField } from '../actions/text-field.tsx';
import { TextLimit } from '../actions/text-limit.tsx';
import { UnsentText } from '../actions/unsent-text.tsx';
import { whyNotSuspended } from '../actions/unsent-words.ts';
import { useSending } from '../actions/use-sending.ts';
import { useUnsent } from '../actions/use-unsent.ts';

interface SuspendFormProps {
  readonly alarm: Alarm;
  readonly title: string;
  readonly view: DeskView;
  readonly send: SendCommand;
  readonly onClose: () => void;
}

/** Suspends an alarm with a reason for the next operator. Where another desk was first, the reason stays in the form. */
export function SuspendForm({ alarm, title, view, send, onClose }: SuspendFormProps) {
  const { id, rule, sector } = alarm;
  const [reason, setReason] = useKept(`reason ${id}`, '');
  const [minutes, setMinutes] = useKept<SuspensionMinutes>(`minutes ${id}`, 15);
  const input = useRef<HTMLInputElement>(null);
  const done = () => {
    setReason('');
    setMinutes(15);
    onClose();
  };
  const form = useSending(`suspend ${id}`, send, done);
  const unsent = useUnsent({
    name: 'reason',
    alarm,
    view,
    send,
    text: reason,
    why: whyNotSuspended(alarm, view),
    form,
    onDone: done,
  });
  // A form that reappears with typed text takes no focus.
  const isRequested = useRef(unsent === null);
  useEffect(() => {
    if (isRequested.current) input.current?.focus();
  }, []);
  const isEmpty = reason.trim() === '';
  const [isMissed, setMissed] = useState(false);
  const fault = isMissed && isEmpty && !unsent ? 'Diga o motivo: quem assume a mesa lê isto.' : '';
  const faultId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissed(isEmpty);
    if (isEmpty) input.current?.focus();
    else if (unsent) unsent.submit();
    else form.submit({ kind: 'suspend', rule, sector, minutes, reason: reason.trim() });
  };
  const displayed = unsent?.form ?? form;
  return (
    <form
      className="alarm-form"
      // A browser's own message would be in the browser's language.
      noValidate
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
      aria-label={`suspender: ${title}`}
    >
      {!unsent && (
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
      )}
      <TextField
        label="motivo"
        ref={input}
        value={reason}
        required
        aria-invalid={fault !== ''}
        aria-describedby={faultId}
        readOnly={displayed.isLocked}
        onText={setReason}
      />
      <p className="form-error" id={faultId} role="alert">
        {fault}
      </p>
      <TextLimit text={reason} />
      {unsent ? (
        <UnsentText unsent={unsent} />
      ) : (
        <p className="desk-buttons">
          <CommandButton type="submit" className="primary" isLocked={form.isLocked}>
            suspender {minutes} min
          </CommandButton>
          <button type="button" onClick={onClose}>
            voltar
          </button>
        </p>
      )}
      <SendingNote form={displayed} />
    </form>
  );
}
