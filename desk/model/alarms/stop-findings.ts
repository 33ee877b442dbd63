import type { Alarm } from './alarm.ts';
import type { AlarmFinding } from './evaluation.ts';
import { LEAVES_WITHIN_MS } from './limits.ts';
import type { SectorHead, SectorReading, Stop } from './sector-reading.ts';
import { findTogether, followTogether, SEVERAL_STOPPED, type SeveralStopped } from './several-stopped.ts';
import type { Situation } from './situation.ts';
import { findStop, hasResumedBy, isStillStopped, mayStop } from './stopped.ts';
import { isSuspended } from './suspensions.ts';

interface StopFindings {
  /** Every sector that has stopped, with an alarm or without. */
  readonly stopped: ReadonlySet<number>;
  readonly findings: readonly AlarmFinding[];
}

/** Finds sectors that have stopped, each by itself or several together. */
export function findStops(situation: Situation, active: readonly Alarm[]): StopFindings {
  const { log, nowMs, codes } = situation;
  const group = active.find((alarm): alarm is SeveralStopped => alarm.rule === 'several-stopped');
  const readings = codes.map((sector, place) => readSector(situation, { place, sector }, active, group));
  const stops = readings.filter((reading): reading is Stop => reading.isStopped === true);
  const unsuspended = stops.filter(({ sector }) => !isSuspended(log, { rule: 'stopped', sector }, nowMs));
  const isGroupRaisable = !isSuspended(log, SEVERAL_STOPPED, nowMs);
  // While the group's rule is suspended, sectors without an alarm raise their own.
  const joinable = isGroupRaisable ? unsuspended : unsuspended.filter(({ raisedBy }) => raisedBy === 'group');
  const together = group ? followTogether(group, readings, joinable) : findTogether(joinable);
  return {
    stopped: new Set(stops.map(({ place }) => place)),
    findings: [
      ...readings.flatMap((reading) => findingOf(reading, together.sectors)),
      ...(together.finding ? [together.finding] : []),
    ],
  };
}

function readSector(
  situation: Situation,
  { place, sector }: Pick<SectorHead, 'place' | 'sector'>,
  active: readonly Alarm[],
  group: SeveralStopped | undefined,
): SectorReading {
  const own = active.find((alarm) => alarm.rule === 'stopped' && alarm.sector === sector);
  const named = group?.figures.sectors.find((each) => each.sector === sector);
  const member = named && !hasResumedBy(situation.atMs, situation, place, named) ? named : undefined;
  const isLeaving =
    named !== undefined &&
    !member &&
    !hasResumedBy(situation.atMs - LEAVES_WITHIN_MS, situation, place, named);
  const raised = own?.rule === 'stopped' ? own.figures : member;
  const head = {
    place,
    sector,
    raisedBy: own ? ('own' as const) : member ? ('group' as const) : null,
    isLeaving,
  };
  const found = raised ? undefined : findStop(situation, place);
  if (found) return { ...head, isStopped: true, figures: found };
  if (!raised) return { ...head, isStopped: false };
  if (!mayStop(situation, place)) return { ...head, isStopped: false, isWithdrawn: true };
  const isStopped = isStillStopped(situation, place, raised);
  if (!isStopped) return { ...head, isStopped };
  const { admitted = 0, valid = 0 } = situation.totals[place] ?? {};
  const { silentSinceMs, before } = raised;
  const windowMs = 'windowMs' in raised ? raised.windowMs : situation.atMs - silentSinceMs;
  return { ...head, isStopped, figures: { silentSinceMs, windowMs, before, admitted, valid } };
}

function findingOf(reading: SectorReading, together: ReadonlySet<string>): readonly AlarmFinding[] {
  const { sector, raisedBy } = reading;
  const subject = { rule: 'stopped', sector } as const;
  const isOwn = raisedBy === 'own';
  if (together.has(sector)) return isOwn ? [{ ...subject, verdict: 'replaced' }] : [];
  if (reading.isStopped === true) return [{ ...subject, verdict: 'holds', figures: reading.figures }];
  if (!isOwn) return [];
  if (reading.isStopped === undefined) return [{ ...subject, verdict: 'unknown' }];
  return [{ ...subject, verdict: reading.isWithdrawn ? 'withdrawn' : 'resolved' }];
}
