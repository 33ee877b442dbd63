import { alarmEntries } from '../../desk/model/alarms/alarm-entries.ts';
import type { AlarmEvaluation } from '../../desk/model/alarms/evaluation.ts';
import { evaluateAlarms } from '../../desk/model/alarms/evaluate.ts';
import type { LogEntry } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { readLogState } from '../../desk/model/log/log-state.ts';
import type { GeneratedMatch } from '../../gates/simulator/generated/generated-match.ts';
import { NO_FIGURES } from './log-rows.ts';
import { playMatch } from '../../desk/tool/play-match.ts';

export interface AlarmRunOptions {
  /** Milliseconds since 1970, a multiple of a minute. */
  readonly kickOffMs: number;
  /** `tookMs`: the processor time of the evaluation. */
  readonly onEvaluation?: (evaluation: AlarmEvaluation, tookMs: number) => void;
}

/** Plays a match, evaluates the rules every ten seconds, and returns the log. Nobody acknowledges the alarms. */
export function runAlarms(match: GeneratedMatch, { kickOffMs, onEvaluation }: AlarmRunOptions): LogEntry[] {
  const series = new FlowSeries({ sectorCount: match.sectors.length + 1 });
  const log: LogEntry[] = [timesOf(match, kickOffMs)];
  let state = readLogState(log);
  const codes = [...match.sectors.map(({ code }) => code), ''];
  const capacities = codes.map(() => null);
  playMatch(match, series, {
    kickOffMs,
    onBoundary: (nowMs) => {
      const begun = process.cpuUsage();
      const evaluation = evaluateAlarms({
        series,
        codes,
        capacities,
        groundCapacity: null,
        log: state,
        staleForMs: null,
        nowMs,
      });
      const entries = alarmEntries(evaluation, state, nowMs);
      const { user, system } = process.cpuUsage(begun);
      onEvaluation?.(evaluation, (user + system) / 1_000);
      if (entries.length === 0) return;
      for (const entry of entries) {
        log.push({ ...entry, atMs: nowMs, source: 'simulated', by: null, figures: NO_FIGURES });
      }
      state = readLogState(log);
    },
  });
  return log;
}

function timesOf({ gatesOpenMs }: GeneratedMatch, kickOffMs: number): LogEntry {
  return {
    kind: 'times',
    id: 'times',
    atMs: kickOffMs + gatesOpenMs,
    source: 'simulated',
    by: null,
    sector: null,
    figures: NO_FIGURES,
    data: { gatesOpenAtMs: kickOffMs + gatesOpenMs, kickOffAtMs: kickOffMs },
  };
}
