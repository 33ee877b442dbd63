import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { AcknowledgeForm } from './acknowledge-form.tsx';
import { useKept } from '../actions/kept-state.ts';
import { SuspendForm } from './suspend-form.tsx';
import { whyNotAcknowledged, whyNotSuspended } from '../actions/unsent-words.ts';

export interface CardFormsProps {
  /** The id of the form that acknowledges. */
  readonly formId: string;
  readonly alarm: Alarm;
  readonly title: string;
  readonly view: DeskView;
  readonly send: SendCommand;
  /** The requested form, if any. */
  readonly form: 'acknowledge' | 'suspend' | null;
  readonly onClose: () => void;
  readonly onAcknowledged: () => void;
}

/** Displays the requested form, and each form whose text can no longer be sent as intended. */
export function CardForms({ formId, form, onAcknowledged, ...ofCard }: CardFormsProps) {
  const { alarm, view } = ofCard;
  const [note] = useKept(`note ${alarm.id}`, '');
  const [reason] = useKept(`reason ${alarm.id}`, '');
  const isAcknowledging = form === 'acknowledge' || (note !== '' && whyNotAcknowledged(alarm, view) !== null);
  const isSuspending = form === 'suspend' || (reason !== '' && whyNotSuspended(alarm, view) !== null);
  return (
    <>
      {isAcknowledging && <AcknowledgeForm {...ofCard} formId={formId} onRecorded={onAcknowledged} />}
      {isSuspending && <SuspendForm {...ofCard} />}
    </>
  );
}
