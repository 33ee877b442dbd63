import { type FormEvent, useEffect, useRef } from 'react';
import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { onEscape } from '../actions/on-escape.ts';
import { CommandButton } from '../actions/command-button.tsx';
import { MAX_TEXT_LENGTH } from '../actions/max-text-length.ts';
import { useKept } from '../actions/kept-state.ts';
import { SendingNote } from '../actions/sending-note.tsx';
import { TextField } from '../actions/text-field.tsx';
import { TextLimit } from '../actions/text-limit.tsx';
import { UnsentText } from '../actions/unsent-text.tsx';
import { whyNotAcknowledged } from '../actions/unsent-words.ts';
import { alarmSector } from './alarm-sentence.ts';
import { heirOf } from './heir.ts';
import { useSending } from '../actions/use-sending.ts';
import { useUnsent } from '../actions/use-unsent.ts';

interface AcknowledgeFormProps {
  /** The id of the form, which the card's button submits. */
  readonly formId: string;
  readonly alarm: Alarm;
  readonly title: string;
  readonly view: DeskView;
  readonly send: SendCommand;
  readonly onClose: () => void;
  readonly onRecorded: () => void;
}

/** A note begins with these words, and names the team after them. */
const TEAM_SENT = 'equipe enviada';

/**
 * The card's own "ciente", pressed again, confirms, as does Enter; Esc goes back. "equipe enviada" acknowledges as well. Where
 * another desk was first, the note stays, to be sent as an occurrence or discarded.
 */
export function AcknowledgeForm(props: AcknowledgeFormProps) {
  const { formId, alarm, title, view, send, onClose, onRecorded } = props;
  const { id } = alarm;
  const [note, setNote] = useKept(`note ${id}`, '');
  const input = useRef<HTMLInputElement>(null);
  const form = useSending(`acknowledge ${id}`, send, () => {
    setNote('');
    onRecorded();
  });
  const unsent = useUnsent({
    name: 'note',
    alarm,
    view,
    send,
    text: note,
    why: whyNotAcknowledged(alarm, view),
    form,
    onDone: () => {
      setNote('');
      onClose();
    },
  });
  // A form that reappears with typed text takes no focus.
  const isRequested = useRef(unsent === null);
  useEffect(() => {
    // The second press finds "ciente" where the first one did. Typing brings the field into sight.
    if (isRequested.current) input.current?.focus({ preventScroll: true });
  }, []);
  const heir = unsent ? heirOf(alarm, view) : undefined;
  const [heirNote, setHeirNote] = useKept(`note ${heir?.id ?? ''}`, '');
  const [, setHeirForm] = useKept<'acknowledge' | null>(`form ${heir?.id ?? ''}`, null);
  /** Moves the note to the alarm that replaced this one. It needs a press of its own, as its author has not read it yet. */
  const carry = () => {
    const place = alarmSector(alarm, view);
    const text = note.trim();
    // It may have been carried before.
    const isNamed = place === null || text.startsWith(`${place}: `);
    const carried = isNamed ? text : `${place}: ${text}`;
    setHeirNote([heirNote, carried].filter(Boolean).join('; ').slice(0, MAX_TEXT_LENGTH));
    setHeirForm('acknowledge');
    unsent?.discard();
  };
  const acknowledge = (text: string) =>
    form.submit({ kind: 'acknowledge', alarm: id, note: text.trim() || null });
  /** The words stand in the note, too: it is what is left where another desk was first. */
  const noteTeam = (): string => {
    const text = note.startsWith(TEAM_SENT) ? note : [TEAM_SENT, note.trim()].filter(Boolean).join(': ');
    setNote(text);
    return text;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!unsent) acknowledge(note);
    else if (!heir) unsent.submit();
    else if (!unsent.form.isLocked) carry();
  };
  const displayed = unsent?.form ?? form;
  return (
    <form
      className="alarm-form"
      id={formId}
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
      aria-label={`ciente: ${title}`}
    >
      {unsent && (
        <UnsentText unsent={unsent} onRecord={heir && unsent.submit}>
          {/* It stays where it was: a second press on the place of a button that is gone would discard the note. */}
          <CommandButton isLocked={unsent.form.isLocked || note.startsWith(TEAM_SENT)} onClick={noteTeam}>
            {TEAM_SENT}
          </CommandButton>
        </UnsentText>
      )}
      <TextField
        label={unsent ? 'nota' : 'nota, ou quem foi enviado (opcional)'}
        ref={input}
        value={note}
        readOnly={displayed.isLocked}
        onText={setNote}
      />
      <TextLimit text={note} />
      {!unsent && (
        <p className="desk-buttons">
          <CommandButton isLocked={form.isLocked} onClick={() => acknowledge(noteTeam())}>
            {TEAM_SENT}
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
