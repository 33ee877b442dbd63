import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatTime } from '../event-time.ts';
import type { RecordedSpan } from './recorded-span.ts';
import type { ReplayPlayer } from './replay-player.ts';
import { TimeField } from './time-field.tsx';
import { type Replay, REPLAY_SPEEDS } from './replay.ts';

interface ReplayControlsProps {
  readonly replay: Replay;
  readonly player: ReplayPlayer;
  readonly span: RecordedSpan | undefined;
  readonly timeZone: string;
  /** Called after a typed time, so that the keys control the minutes again. */
  readonly onTyped: () => void;
}

export function ReplayControls({ replay, player, span, timeZone, onTyped }: ReplayControlsProps) {
  const { wantedMs, speed } = replay;
  const openTyped = (minuteMs: number): void => {
    player.open(minuteMs);
    onTyped();
  };
  return (
    <div className="replay-controls" role="group" aria-label="minuto do registro">
      <button type="button" disabled={!span || wantedMs <= span.firstMs} onClick={() => player.step(-1)}>
        − 1 min
      </button>
      <button type="button" disabled={!span || wantedMs >= span.lastMs} onClick={() => player.step(1)}>
        + 1 min
      </button>
      <span className="replay-speeds" role="group" aria-label="tocar">
        <button type="button" aria-pressed={speed === undefined} onClick={player.pause}>
          pausa
        </button>
        {REPLAY_SPEEDS.map((own) => (
          <button key={own} type="button" aria-pressed={speed === own} onClick={() => player.play(own)}>
            ×{own}
          </button>
        ))}
      </span>
      {span && (
        <input
          type="range"
          aria-label="minuto"
          aria-valuetext={formatTime(wantedMs, timeZone)}
          min={span.firstMs}
          max={span.lastMs}
          step={MINUTE_MS}
          value={Math.min(Math.max(wantedMs, span.firstMs), span.lastMs)}
          onChange={(event) => player.open(Number(event.currentTarget.value))}
        />
      )}
      <TimeField nearMs={wantedMs} timeZone={timeZone} onOpen={openTyped} onRefused={player.forgetMissing} />
    </div>
  );
}
