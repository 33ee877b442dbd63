import type { DeskState } from '../../model/desk-state.ts';
import type { Status } from '../../../page/trust/status.ts';
import type { DeskView } from '../desk-view.ts';

/**
 * The desk as it was shown then: of the minutes and the log that are known now, those of that time. Where the minute was not
 * watched, it looks as a desk whose source is away.
 */
export function replayedView(
  { minutes, log, sectors }: Pick<DeskView, 'minutes' | 'log' | 'sectors'>,
  state: DeskState,
): DeskView {
  const { source, nowMs } = state;
  const status: Status = source.live ? { kind: 'live' } : { kind: 'no-source', ageMs: source.ageMs };
  return {
    state,
    minutes: minutes.filter(({ minuteMs }) => minuteMs < nowMs),
    log: log.filter(({ atMs }) => atMs <= nowMs),
    sectors,
    status,
    replay: { atMs: nowMs },
  };
}
