import type { Alarm, Suspension } from '../../model/alarms/alarm.ts';
import { CommandButton } from '../actions/command-button.tsx';
import { useKept } from '../actions/kept-state.ts';
import { useMarkFromCard, useOpenDialog } from '../actions/open-dialog.ts';
import { IDLE, isUnderWay, type Sending } from '../actions/sending.ts';
import { pressed } from './use-steady-press.ts';

interface CardButtonsProps {
  readonly alarm: Alarm;
  readonly title: string;
  readonly isDense: boolean;
  readonly calls: boolean;
  readonly suspension: Suspension | undefined;
  /** The sector that can be marked from here; null: none. */
  readonly marks: string | null;
  readonly mayPress: () => boolean;
  /** The id of the form that "ciente" submits; `undefined` while none is open. */
  readonly confirms: string | undefined;
  readonly onAcknowledge: () => void;
  readonly onSuspend: () => void;
}

/** The buttons of an alarm's card. "ciente" keeps its place while it asks for the second press: the same spot confirms. */
export function CardButtons(props: CardButtonsProps) {
  const { alarm, title, isDense, calls, suspension, marks, mayPress, confirms } = props;
  const { id, acknowledged, returnedAtMs } = alarm;
  const [sending] = useKept<Sending>(`sending acknowledge ${id}`, IDLE);
  const [, setDialog] = useOpenDialog();
  const markFromCard = useMarkFromCard();
  const onPress = (action: () => void) => pressed(mayPress, action);
  return (
    <p className="desk-buttons">
      {!acknowledged && (
        <CommandButton
          // Another element: one that became a submit button by its own press would submit at once.
          key={confirms}
          className={calls || confirms ? 'primary' : ''}
          {...(confirms === undefined
            ? { 'aria-label': `ciente: ${title}`, onClick: onPress(props.onAcknowledge) }
            : { type: 'submit', form: confirms })}
          isLocked={isUnderWay(sending)}
        >
          {confirms === undefined ? 'ciente' : 'ciente ↵'}
        </CommandButton>
      )}
      {!suspension && returnedAtMs === null && (
        <CommandButton aria-label={`suspender 15 min: ${title}`} onClick={onPress(props.onSuspend)}>
          {isDense ? 'suspender' : 'suspender 15 min'}
        </CommandButton>
      )}
      {suspension && (
        <CommandButton
          aria-label={`retomar: ${title}`}
          onClick={onPress(() => setDialog({ kind: 'take-back', entryId: suspension.id, why: undefined }))}
        >
          retomar
        </CommandButton>
      )}
      {marks !== null && (
        <CommandButton
          aria-label={`marcar setor: ${title}`}
          onClick={onPress(() => markFromCard({ sector: marks, alarm: id }))}
        >
          {isDense ? 'marcar' : 'marcar setor'}
        </CommandButton>
      )}
    </p>
  );
}
