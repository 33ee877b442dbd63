import type { Alarm, AlarmSubject, DroppedFigures } from './alarm.ts';
import { type Dropping, findDrop, isStillDropped, mayDrop } from './dropped.ts';
import type { AlarmFinding } from './evaluation.ts';
import { DROP_AFTER_STOP_MS, SEVERAL } from './limits.ts';
import type { Situation } from './situation.ts';

type DropRule = 'dropped' | 'ground-dropped';

/** Sectors, or the whole ground, into which fewer enter; but of what has stopped, that alone is said. */
export function findDrops(
  situation: Situation,
  active: readonly Alarm[],
  stopped: ReadonlySet<number>,
): readonly AlarmFinding[] {
  return [
    ...situation.codes.flatMap((sector, place) =>
      findOne(situation, place, { rule: 'dropped', sector }, active, stopped.has(place)),
    ),
    ...findOne(
      situation,
      'ground',
      { rule: 'ground-dropped', sector: null },
      active,
      stopped.size >= SEVERAL,
    ),
  ];
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
  if (still === 'recovered') return [{ ...subject, verdict: 'resolved' }];
  return [{ ...subject, verdict: 'holds', figures: still }];
}

/** After a stop, those whom it held come at once: neither what came before nor what comes then is usual. */
function isAfterStop({ atMs, log }: Situation, sector: string | null): boolean {
  const overMs =
    sector === null ? Math.max(-Infinity, ...log.stopOverAtMs.values()) : log.stopOverAtMs.get(sector);
  return overMs !== undefined && atMs < overMs + DROP_AFTER_STOP_MS;
}
