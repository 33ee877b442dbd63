import { RULE_WORDS } from '../../model/alarms/alarm-words.ts';
import { createElement, type MouseEvent, useEffect, useId, useRef } from 'react';
import type { Alarm } from '../../model/alarms/alarm.ts';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { contactWords, FEW_NAMES } from './alarm-contact.ts';
import { alarmSector, alarmSentence, alarmTitle, shortSentence, shownRule } from './alarm-sentence.ts';
import { AlarmShape } from './alarm-shape.tsx';
import { alarmStory } from './alarm-story.ts';
import { isCalling, suspensionOf } from './calling-alarms.ts';
import { isFull } from './capacity-sentence.ts';
import { CardButtons } from './card-buttons.tsx';
import { useKept } from '../actions/kept-state.ts';
import { adviceOf } from './rule-words.ts';

/** The forms start to load with this module. A form that is requested before that ends opens as soon as it has. */
const forms = loadPart(async () => (await import('./card-forms.tsx')).CardForms);

interface AlarmCardProps {
  readonly alarm: Alarm;
  readonly view: DeskView;
  readonly send: SendCommand;
  readonly isDense: boolean;
  /** The alarm has ended; its card stays for the text typed about it. */
  readonly hasEnded: boolean;
  readonly hasAdvice: boolean;
  readonly hasAllContacts: boolean;
  /** Returns false just after the cards have moved, when a press may hit another card than it was meant for. */
  readonly mayPress: () => boolean;
  readonly onAcknowledged: () => void;
}

/** A longer name, in characters, fills more than one line. */
const LONG_NAME = 30;
/** A longer text, in characters, names the contacts of several sectors. */
const LONG_CONTACT = 50;

/** `sent`: the acknowledgement is recorded, but not yet in the desk's state. */
type CardForm = 'acknowledge' | 'suspend' | 'sent' | null;

/** One alarm; the card is red only while it calls. */
export function AlarmCard({
  alarm,
  view,
  send,
  isDense,
  hasEnded,
  hasAdvice,
  hasAllContacts,
  mayPress,
  onAcknowledged,
}: AlarmCardProps) {
  const { id, rule, sector, acknowledged, returnedAtMs } = alarm;
  const [form, setForm] = useKept<CardForm>(`form ${id}`, null);
  const CardForms = useStore(forms, (loaded) => loaded);
  const title = alarmTitle(alarm, view);
  const shown = shownRule(alarm, view);
  const sectorWords = alarmSector(alarm, view);
  const contact = hasEnded ? null : contactWords(alarm, view, hasAllContacts ? undefined : FEW_NAMES);
  const calls = !hasEnded && isCalling(alarm, view.state);
  const isActive = returnedAtMs === null;
  const isEnded = hasEnded || view.state.evacuatedAtMs !== null;
  const suspension = suspensionOf(alarm, view.state);
  const close = () => setForm(null);
  const isLive = view.replay === null;
  const isAdvised = hasAdvice && isActive && !isEnded;
  // As long as the advice asks for it.
  const mayMark = rule === 'stopped' && ((calls && isActive) || isAdvised) && sector !== null;
  const isAcknowledging = form === 'acknowledge';
  const formId = useId();
  const card = useRef<HTMLLIElement>(null);
  const formBefore = useRef(form);
  useEffect(() => {
    const isClosed = formBefore.current !== null && form === null;
    formBefore.current = form;
    if (isClosed && document.activeElement === document.body) card.current?.querySelector('h3')?.focus();
  }, [form]);
  const isAcknowledged = acknowledged !== null;
  useEffect(() => {
    if (isAcknowledged && form === 'sent') setForm(null);
  }, [isAcknowledged, form, setForm]);
  return (
    <li
      className="alarm"
      ref={card}
      data-alarm={id}
      data-state={stateOf(calls, isActive, isEnded)}
      onMouseDown={keepFocusOfSecondPress}
    >
      <h3 className="alarm-title" tabIndex={-1}>
        <AlarmShape rule={shown} /> {RULE_WORDS[shown]}
        {sectorWords !== null && (
          <>
            {' '}
            <span className="alarm-place" data-long={sectorWords.length > LONG_NAME ? '' : undefined}>
              ·&nbsp;{sectorWords}
            </span>
          </>
        )}
      </h3>
      <div className="alarm-body">
        <p>{isDense ? shortSentence(alarm, view) : alarmSentence(alarm, view)}</p>
        {isAdvised && <p className="alarm-advice">{adviceOf(shown, view.state, isFull(alarm, view))}</p>}
        {contact !== null && (
          <p className="alarm-contact" data-long={contact.length > LONG_CONTACT ? '' : undefined}>
            {contact}
          </p>
        )}
        <div className="alarm-foot" data-marks={mayMark ? '' : undefined}>
          <ul className="alarm-story">
            {alarmStory(alarm, view).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          {isLive && !hasEnded && (form === null || isAcknowledging) && (
            <CardButtons
              alarm={alarm}
              title={title}
              isDense={isDense}
              calls={calls}
              suspension={suspension}
              marks={mayMark ? sector : null}
              mayPress={mayPress}
              confirms={isAcknowledging && CardForms ? formId : undefined}
              onAcknowledge={() => setForm('acknowledge')}
              onSuspend={() => setForm('suspend')}
            />
          )}
        </div>
        {isLive &&
          CardForms &&
          createElement(CardForms, {
            formId,
            alarm,
            title,
            view,
            send,
            form: form === 'sent' ? null : form,
            onClose: close,
            onAcknowledged: () => {
              setForm('sent');
              onAcknowledged();
            },
          })}
        {isLive && form === 'sent' && <p className="hint">ciente registrado</p>}
      </div>
    </li>
  );
}

/** The second press of a double click comes where the first one opened a form, whose field has the focus. */
function keepFocusOfSecondPress(event: MouseEvent): void {
  if (event.detail > 1 && !(event.target instanceof HTMLInputElement)) event.preventDefault();
}

function stateOf(calls: boolean, isActive: boolean, isEnded: boolean): string {
  if (isEnded) return 'ended';
  if (!isActive) return 'returned';
  return calls ? 'calling' : 'quiet';
}
