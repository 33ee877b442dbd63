import { alarmEntries } from '../../desk/model/alarms/alarm-entries.ts';
import { evaluateAlarms } from '../../desk/model/alarms/evaluate.ts';
import type { LogEntry } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import type { EarlierMatch } from '../../desk/model/forecast/earlier-match.ts';
import { EarlierMatches } from '../../desk/model/forecast/earlier-matches.ts';
import { makeForecast } from '../../desk/model/forecast/make-forecast.ts';
import { LogStateReader } from '../../desk/model/log/log-state.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { beginMatch } from '../../desk/tool/play-match.ts';
import { NO_FIGURES } from '../../testing/desk/log-rows.ts';
import type { InventedMatch } from '../forecast/invented-match.ts';

/** One of many that a process looks after. */
export interface WatchedEvent {
  /** Ten seconds more are counted. */
  playOn(): void;
  /** Its rules are applied, what is new is noted, and its forecast is made. */
  evaluate(): void;
}

/** `atMinute`: to kick-off; up to then it was watched. */
export function watchEvent(
  { match, codes, kickOffMs }: InventedMatch,
  matches: readonly EarlierMatch[],
  atMinute: number,
): WatchedEvent {
  const series = new FlowSeries({ sectorCount: codes.length });
  const earlier = new EarlierMatches({ eventId: 'today', matches, codes, isSimulated: true });
  const capacities = codes.map(() => null);
  const log = new LogStateReader();
  const note = (entry: Pick<LogEntry, 'id' | 'kind' | 'data' | 'sector'>, atMs: number): void =>
    log.add({ ...entry, atMs, source: 'simulated', by: null, figures: NO_FIGURES } as LogEntry);
  const gatesOpenAtMs = kickOffMs + match.gatesOpenMs;
  note(
    { id: 'times', kind: 'times', sector: null, data: { gatesOpenAtMs, kickOffAtMs: kickOffMs } },
    gatesOpenAtMs,
  );
  const playOn = beginMatch(match, series, { kickOffMs });
  let nowMs = playOn();
  while (nowMs < kickOffMs + atMinute * MINUTE_MS) nowMs = playOn();
  return {
    playOn: () => void (nowMs = playOn()),
    evaluate() {
      const { state } = log;
      const inputs = { series, codes, capacities, groundCapacity: null, log: state, staleForMs: null, nowMs };
      for (const entry of alarmEntries(evaluateAlarms(inputs), state, nowMs)) note(entry, nowMs);
      makeForecast({ nowMs, isLive: true, series, codes, log: log.state, earlier });
    },
  };
}
