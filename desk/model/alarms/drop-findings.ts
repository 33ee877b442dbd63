import type { Alarm, AlarmSubject, DroppedFigures } from './alarm.ts';
import { type Dropping, findDrop, isStillDropped, mayDrop } from './dropped.ts';
import type { AlarmFinding } from './evaluation.ts';
import { DROP_AFTER_STOP_MS, SEVERAL } from './limits.ts';
import type { Situation } from './situation.ts';

type DropRule = 'dropped' | 'ground-dropped';

/** Finds drops of sectors and of the whole ground; a stop takes precedence over a drop. */
export function findDrops(
  situation: Situation,
  active: readonly Alarm[],
  stopped: ReadonlySet<number>,
): readonly AlarmFinding[] {
  const haveSeveralStopped = stopped.size >= SEVERAL || active.some(({ rule }) => rule === 'several-stopped');
  return [
    ...situation.codes.flatMap((sector, place) =>
      findOne(
        situation,
        place,
        { rule: 'dropped', sector },
        active,
        stopped.has(place) || hasStopAlarm(active, sector),
      ),
    ),
    ...findOne(situation, 'ground', { rule: 'ground-dropped', sector: null }, active, haveSeveralStopped),
  ];
}

function hasStopAlarm(active: readonly Alarm[], sector: string): boolean {
  return active.some((alarm) =>
    alarm.rule === 'several-stopped'
      ? alarm.figures.sectors.some((each) => each.sector === sector)
      : alarm.rule === 'stopped' && alarm.sector === sector,
  );
}

function findOne(
  situation: Situation,
  what: Dropping,
  subject: AlarmSubject & { readonly rule: DropRule },
  active: readonly Alarm[],
  hasStopped: boolean,
): readonly AlarmFinding[] {
  const raised = active.find(({ rule, sector }) => rule === subject.rule && sector === subject.sector);
  if (hasStopped) return raised ? [{ ...subject, verdict: 'replaced' }] : [];
  if (!raised) {
    const figures = isAfterStop(situation, subject.sector) ? undefined : findDrop(situation, what);
    return figures ? [{ ...subject, verdict: 'holds', figures }] : [];
  }
  if (!mayDrop(situation, what)) return [{ ...subject, verdict: 'withdrawn' }];
  const still = isStillDropped(situation, what, raised.figures as DroppedFigures);
  if (still === undefined) return [{ ...subject, verdict: 'unknown' }];
  if (typeof still === 'string') return [{ ...subject, verdict: still }];
  return [{ ...subject, verdict: 'holds', figures: still }];
}

/** Returns whether a stop has just ended: the people who waited enter in a rush, so there is no usual flow to compare with. */
function isAfterStop({ atMs, log }: Situation, sector: string | null): boolean {
  const isRecent = (overMs: number | undefined) => overMs !== undefined && atMs < overMs + DROP_AFTER_STOP_MS;
  if (sector !== null) return isRecent(log.stopOverAtMs.get(sector));
  return [...log.stopOverAtMs.values()].filter(isRecent).length >= SEVERAL;
}
