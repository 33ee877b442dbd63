import type { DeskState } from '../../model/desk-state.ts';
import type { Status } from '../../../page/trust/status.ts';
import type { DeskView } from '../desk-view.ts';

/**
 * The desk at the time of `state`, with the minutes and the log up to then. If that minute was not observed, it looks like a desk
 * whose source is unavailable.
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
