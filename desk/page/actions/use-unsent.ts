import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { occurrenceOf } from './unsent-words.ts';
import { type SendingForm, useSending } from './use-sending.ts';

interface UnsentOptions {
  /** Names the form among those of the alarm. */
  readonly name: string;
  readonly alarm: Alarm;
  readonly view: DeskView;
  readonly send: SendCommand;
  readonly text: string;
  /** Why the text can no longer be sent as intended; null where it can. */
  readonly why: string | null;
  /** The form for which the text was typed. */
  readonly form: SendingForm;
  /** Called once the text is recorded, or discarded. */
  readonly onDone: () => void;
}

export interface Unsent {
  readonly why: string;
  readonly isEmpty: boolean;
  readonly form: SendingForm;
  readonly submit: () => void;
  readonly discard: () => void;
}

/**
 * Offers to record text about an alarm that another operator has handled meanwhile as an occurrence; null before that. A field
 * in which nothing is typed yet stays as well: its operator may be about to type.
 */
export function useUnsent(options: UnsentOptions): Unsent | null {
  const { name, alarm, view, send, text, why, form, onDone } = options;
  const done = (): void => {
    // Its refusal would hold the card of an alarm that has ended.
    form.giveUp();
    onDone();
  };
  const instead = useSending(`${name} instead ${alarm.id}`, send, done);
  const isEmpty = text.trim() === '';
  if (why === null || form.isLocked) return null;
  return {
    why,
    isEmpty,
    form: instead,
    submit() {
      instead.submit({
        kind: 'occurrence',
        sector: alarm.sector,
        text: occurrenceOf(alarm, text.trim(), view),
      });
    },
    discard() {
      instead.giveUp();
      done();
    },
  };
}
