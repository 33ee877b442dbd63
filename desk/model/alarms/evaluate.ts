import type { Alarm } from './alarm.ts';
import { findCapacity } from './capacity.ts';
import { findDrops } from './drop-findings.ts';
import type { AlarmEvaluation, AlarmFinding, AlarmInputs, SectorState, WaitReason } from './evaluation.ts';
import { MIN_SILENCE_MS } from './limits.ts';
import { findNoData } from './no-data.ts';
import { readSituation, type Situation } from './situation.ts';
import { RULES } from './rules.ts';
import { findStops } from './stop-findings.ts';
import { mayStop, rateBefore } from './stopped.ts';
import { stillToEnter } from '../series/still-to-enter.ts';
import { totalsAt } from '../series/totals-at.ts';
import { estimatedIn, uncountedMarks } from '../log/uncounted.ts';

/**
 * Applies all rules. It is stateless: alarms follow from the log, and durations from the series. `inputs.log` must have every
 * entry that was noted, recorded or not: an alarm that it lacks is raised again.
 */
export function evaluateAlarms(inputs: AlarmInputs): AlarmEvaluation {
  const active = inputs.log.alarms.filter(({ returnedAtMs }) => returnedAtMs === null);
  const situation = readSituation(inputs);
  const beside = [...findNoData(inputs, situation, active), ...findCapacities(inputs, active)];
  if (typeof situation === 'string') {
    return {
      atMs: inputs.series.lastBoundaryMs ?? null,
      waits: situation,
      findings: [...waiting(situation, active), ...beside],
      sectors: inputs.codes.map(() => 'unknown'),
    };
  }
  const { stopped, findings: ofStops } = findStops(situation, active);
  const ofDrops = findDrops(situation, active, stopped);
  return {
    atMs: situation.atMs,
    waits: null,
    findings: [...ofStops, ...ofDrops, ...beside],
    sectors: inputs.codes.map((code, place) => stateOf(situation, code, place, stopped, ofDrops)),
  };
}

/** Alarms stay while the counts are stale, and are withdrawn where the rules no longer apply. */
function waiting(reason: WaitReason, active: readonly Alarm[]): readonly AlarmFinding[] {
  return active
    .filter(({ rule }) => RULES[rule].isOfFlow)
    .map(({ rule, sector }) => ({ rule, sector, verdict: reason === 'not-live' ? 'unknown' : 'withdrawn' }));
}

function findCapacities(inputs: AlarmInputs, active: readonly Alarm[]): readonly AlarmFinding[] {
  const { series, codes, capacities, groundCapacity, log, nowMs, staleForMs } = inputs;
  if (staleForMs !== null || log.evacuatedAtMs !== null) {
    return active
      .filter(({ rule }) => rule.endsWith('-capacity'))
      .map(({ rule, sector }) => ({
        rule,
        sector,
        verdict: log.evacuatedAtMs === null ? 'unknown' : 'withdrawn',
      }));
  }
  const totals = totalsAt(series, nowMs);
  const admitted = totals.reduce((sum, sector) => sum + sector.admitted, 0);
  const find = (sector: string | null, count: number, capacity: number | null) => {
    const marks = uncountedMarks(log.uncounted, sector);
    const estimated = estimatedIn(marks, sector) ?? 0;
    return findCapacity(
      { sector, admitted: count, capacity, isIncomplete: marks.length > 0, estimated },
      active,
    );
  };
  return [
    ...codes.flatMap((code, place) => find(code, totals[place]?.admitted ?? 0, capacities[place] ?? null)),
    ...find(null, admitted, groundCapacity),
  ];
}

function stateOf(
  situation: Situation,
  code: string,
  place: number,
  stopped: ReadonlySet<number>,
  drops: readonly AlarmFinding[],
): SectorState {
  if (stopped.has(place)) return 'stopped';
  if (drops.some(({ sector, verdict }) => sector === code && verdict === 'holds')) return 'dropped';
  const { atMs, windows, appliesFromMs } = situation;
  const window = windows.ending(atMs, MIN_SILENCE_MS);
  const count = window && windows.flow(window)?.[place];
  if (appliesFromMs[place] === Infinity) return 'unknown';
  if (count === undefined) return isComplete(situation, place) ? 'quiet' : 'unknown';
  // More may have been taken back.
  if (count > 0 || windows.hasEnteredSince(atMs - MIN_SILENCE_MS, place)) return 'flowing';
  // After a gap, or just after the beginning, a silence may be a stop.
  const canTell =
    !mayStop(situation, place) || rateBefore(situation, place, windows.ungrownSince(place)) !== undefined;
  return canTell ? 'quiet' : 'unknown';
}

/** Whether everybody with a valid ticket is in: nothing is missing where nobody enters. */
function isComplete({ totals }: Situation, place: number): boolean {
  const sector = totals[place];
  return sector !== undefined && sector.valid > 0 && stillToEnter(sector) <= 0;
}
