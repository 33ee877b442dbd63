import type { Alarm, StoppedSector } from './alarm.ts';
import type { AlarmFinding } from './evaluation.ts';
import { SEVERAL, TOGETHER_MS } from './limits.ts';
import type { SectorReading, Stop } from './sector-reading.ts';

export type SeveralStopped = Extract<Alarm, { rule: 'several-stopped' }>;

interface Together {
  readonly finding: AlarmFinding | undefined;
  /** The sectors that the alarm names. */
  readonly sectors: ReadonlySet<string>;
}

export const SEVERAL_STOPPED = { rule: 'several-stopped', sector: null } as const;
const NOT_TOGETHER: Together = { finding: undefined, sectors: new Set() };

/** Finds sectors that stopped together, unless each of them has an alarm already. `stops`: those that are not suspended. */
export function findTogether(stops: readonly Stop[]): Together {
  const together = mostTogether(stops);
  if (together.length < SEVERAL || together.every(({ raisedBy }) => raisedBy === 'own')) return NOT_TOGETHER;
  return hold(together);
}

/**
 * Checks whether at least SEVERAL of the sectors that an alarm names are still stopped, or have resumed only just now.
 * Other sectors that stopped at the same time are added.
 */
export function followTogether(
  group: SeveralStopped,
  readings: readonly SectorReading[],
  stops: readonly Stop[],
): Together {
  const named = readings.filter(({ raisedBy }) => raisedBy === 'group');
  const left = stops.filter(({ raisedBy }) => raisedBy === 'group');
  const sectors = new Set(named.map(({ sector }) => sector));
  if (named.some(({ isStopped }) => isStopped === undefined)) {
    return { finding: { ...SEVERAL_STOPPED, verdict: 'unknown' }, sectors };
  }
  const joining = stops.filter((stop) => stop.raisedBy === null && isWith(stop, group.figures.sectors));
  const still = [...left, ...joining];
  const leaving = readings.filter(({ isLeaving, isStopped }) => isLeaving && isStopped === false);
  if (still.length > 0 && still.length + leaving.length >= SEVERAL) return hold(still);
  // It is unknown whether a marked sector has resumed.
  const over = named.some((reading) => !reading.isStopped && reading.isWithdrawn) ? 'withdrawn' : 'resolved';
  return { ...NOT_TOGETHER, finding: { ...SEVERAL_STOPPED, verdict: left.length > 0 ? 'replaced' : over } };
}

function hold(stops: readonly Stop[]): Together {
  const sectors = stops
    .toSorted((a, b) => a.place - b.place)
    .map(({ sector, figures: { silentSinceMs, before } }) => ({ sector, silentSinceMs, before }));
  return {
    finding: { ...SEVERAL_STOPPED, verdict: 'holds', figures: { sectors } },
    sectors: new Set(sectors.map(({ sector }) => sector)),
  };
}

/** Returns the largest group that stopped within TOGETHER_MS. */
function mostTogether(stops: readonly Stop[]): readonly Stop[] {
  let most: readonly Stop[] = [];
  for (const { figures: first } of stops) {
    const together = stops.filter(({ figures: { silentSinceMs } }) => {
      const laterMs = silentSinceMs - first.silentSinceMs;
      return laterMs >= 0 && laterMs <= TOGETHER_MS;
    });
    if (together.length > most.length) most = together;
  }
  return most;
}

function isWith({ figures }: Stop, others: readonly StoppedSector[]): boolean {
  return others.some(({ silentSinceMs }) => Math.abs(silentSinceMs - figures.silentSinceMs) <= TOGETHER_MS);
}
