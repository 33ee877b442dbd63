import { MINUTE_MS } from '../../model/series/minute.ts';
import { ActionDialog } from './action-dialog.tsx';
import { CommandButton } from './command-button.tsx';
import type { DialogProps } from './dialog-props.ts';
import { formatTime } from '../event-time.ts';
import { useKept } from './kept-state.ts';
import { checkKickOff } from './kick-off-time.ts';
import { useOpenDialog } from './open-dialog.ts';
import { activeEntry } from './active-entry.ts';
import { useSending } from './use-sending.ts';

const POSTPONED_MIN = [10, 15, 30];

export function KickOffDialog({ view, send, onClose, onRecorded }: DialogProps) {
  const { state, log } = view;
  const { kickOffAtMs, gatesOpenAtMs, isKickOffOfDesk } = state.times;
  const { timeZone, nowMs } = state;
  const [time, setTime] = useKept('kick-off', '');
  const [, setDialog] = useOpenDialog();
  const form = useSending('kick-off', send, () => {
    setTime('');
    onRecorded('novo início registrado');
  });
  const check = checkKickOff(time, { nowMs, kickOffAtMs, gatesOpenAtMs, timeZone });
  const set = isKickOffOfDesk ? activeEntry(log, 'kick-off') : undefined;
  return (
    <ActionDialog
      title={kickOffAtMs === null ? 'horário do início' : 'mudar o início para …'}
      form={form}
      action={check.kind === 'ok' ? `início às ${time}` : 'mudar o início'}
      isReady={check.kind === 'ok'}
      onSubmit={() => {
        if (check.kind === 'ok')
          form.submit({ kind: 'kick-off', kickOffAtMs: check.kickOffAtMs, fromMs: kickOffAtMs });
      }}
      onClose={onClose}
    >
      <p>
        {/* Another desk may move it while this one types. */}
        <span role="status">
          {kickOffAtMs === null
            ? 'Ainda sem horário.'
            : `Agora: início às ${formatTime(kickOffAtMs, timeZone)}.`}
          {set?.by != null && ` Mudado por ${set.by}. `}
        </span>
        {set && (
          <CommandButton onClick={() => setDialog({ kind: 'take-back', entryId: set.id, why: undefined })}>
            desfazer
          </CommandButton>
        )}
      </p>
      <label>
        novo horário ({timeZone})
        <input
          type="time"
          value={time}
          required
          data-first=""
          readOnly={form.isLocked}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
      </label>
      {kickOffAtMs !== null && (
        <p className="desk-buttons">
          {POSTPONED_MIN.map((minutes) => (
            <button
              key={minutes}
              type="button"
              disabled={form.isLocked}
              onClick={() => setTime(formatTime(kickOffAtMs + minutes * MINUTE_MS, timeZone))}
            >
              +{minutes} min
            </button>
          ))}
        </p>
      )}
      {time !== '' && (
        <p className={check.kind === 'fault' ? '' : 'hint'} role="status">
          {check.kind === 'fault' ? check.message : check.words}
        </p>
      )}
    </ActionDialog>
  );
}
