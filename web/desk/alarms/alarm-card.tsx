import { type MouseEvent, useEffect, useRef } from 'react';
import type { Alarm } from '../../../domain/flow/alarms/alarm.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { AcknowledgeForm } from './acknowledge-form.tsx';
import { alarmPlace, alarmSentence, alarmTitle, shortSentence } from './alarm-sentence.ts';
import { AlarmShape } from './alarm-shape.tsx';
import { alarmStory } from './alarm-story.ts';
import { isCalling, suspensionOf } from './calling-alarms.ts';
import { useKept } from './kept-state.ts';
import { useOpenDialog } from './open-dialog.ts';
import { ADVICE, RULE_WORDS } from './rule-words.ts';
import { SuspendForm } from './suspend-form.tsx';

interface AlarmCardProps {
  readonly alarm: Alarm;
  readonly view: DeskView;
  readonly send: SendCommand;
  /** Many stand beneath each other. */
  readonly isDense: boolean;
  /** What to do first is said. */
  readonly hasAdvice: boolean;
  /** Whether what is pressed counts: not where the card has just come under the finger. */
  readonly mayPress: () => boolean;
  readonly onAcknowledged: () => void;
}

/** `sent`: it is recorded, and the desk's state is about to say so. */
type CardForm = 'acknowledge' | 'suspend' | 'sent' | null;

/** One alarm: red only while it asks for somebody. */
export function AlarmCard({
  alarm,
  view,
  send,
  isDense,
  hasAdvice,
  mayPress,
  onAcknowledged,
}: AlarmCardProps) {
  const { id, rule, sector, acknowledged, returnedAtMs } = alarm;
  const [form, setForm] = useKept<CardForm>(`form ${id}`, null);
  const [, setDialog] = useOpenDialog();
  const title = alarmTitle(alarm, view);
  const place = alarmPlace(alarm, view);
  const calls = isCalling(alarm, view.state);
  const isActive = returnedAtMs === null;
  const suspension = suspensionOf(alarm, view.state);
  const close = () => setForm(null);
  const press = (what: () => void) => (event: MouseEvent) => {
    const isByKeyboard = event.detail === 0;
    if (isByKeyboard || mayPress()) what();
  };
  const card = useRef<HTMLLIElement>(null);
  const shownForm = useRef(form);
  useEffect(() => {
    const isClosed = shownForm.current !== null && form === null;
    shownForm.current = form;
    if (isClosed && document.activeElement === document.body) card.current?.querySelector('button')?.focus();
  }, [form]);
  const isAcknowledged = acknowledged !== null;
  useEffect(() => {
    if (isAcknowledged && form === 'sent') setForm(null);
  }, [isAcknowledged, form, setForm]);
  return (
    <li className="alarm" ref={card} data-alarm={id} data-state={stateOf(calls, isActive)}>
      <h3 className="alarm-title" tabIndex={-1}>
        <AlarmShape rule={rule} /> {RULE_WORDS[rule]}
        {place !== null && (
          <>
            {'\u00a0· '}
            <span className="alarm-place">{place}</span>
          </>
        )}
      </h3>
      <div className="alarm-body">
        <p>{isDense ? shortSentence(alarm, view) : alarmSentence(alarm, view)}</p>
        {hasAdvice && calls && isActive && <p className="alarm-advice">{ADVICE[rule]}</p>}
        <div className="alarm-foot">
          <ul className="alarm-story">
            {alarmStory(alarm, view).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          {view.replay === null && form === null && (
            <p className="desk-buttons">
              {!acknowledged && (
                <button
                  type="button"
                  className={calls ? 'primary' : ''}
                  aria-label={`ciente: ${title}`}
                  onClick={press(() => setForm('acknowledge'))}
                >
                  ciente
                </button>
              )}
              {!suspension && isActive && (
                <button
                  type="button"
                  aria-label={`suspender 15 min: ${title}`}
                  onClick={press(() => setForm('suspend'))}
                >
                  {isDense ? 'suspender' : 'suspender 15 min'}
                </button>
              )}
              {suspension && (
                <button
                  type="button"
                  aria-label={`retomar: ${title}`}
                  onClick={press(() => setDialog({ kind: 'take-back', entryId: suspension.id }))}
                >
                  retomar
                </button>
              )}
              {!isDense && rule === 'stopped' && calls && isActive && sector !== null && (
                <button
                  type="button"
                  aria-label={`marcar setor: ${title}`}
                  onClick={press(() => setDialog({ kind: 'mark', sector }))}
                >
                  marcar setor
                </button>
              )}
            </p>
          )}
        </div>
        {view.replay === null && form === 'acknowledge' && !acknowledged && (
          <AcknowledgeForm
            alarm={id}
            title={title}
            send={send}
            onClose={close}
            onRecorded={() => {
              setForm('sent');
              onAcknowledged();
            }}
          />
        )}
        {view.replay === null && form === 'sent' && <p className="hint">ciente registrado</p>}
        {view.replay === null && form === 'suspend' && (
          <SuspendForm alarm={alarm} title={title} send={send} onClose={close} />
        )}
      </div>
    </li>
  );
}

function stateOf(calls: boolean, isActive: boolean): string {
  if (calls) return isActive ? 'calling' : 'returned';
  return 'quiet';
}
