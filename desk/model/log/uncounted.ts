import type { IncompleteCount } from '../../../domain/event-state.ts';
import { makesIncomplete, type SectorMark } from './marks.ts';

/** A time during which people passed unread. */
export interface UncountedSpan {
  readonly fromMs: number;
  /** Infinity while they still do. */
  readonly toMs: number;
}

/** Returns the marks that make a count incomplete. `sector`: a row's code, '' for the others, null for the whole ground. */
export function uncountedMarks(marks: readonly SectorMark[], sector: string | null): readonly SectorMark[] {
  return marks.filter(
    ({ mark, sector: of }) => makesIncomplete(mark) && (sector === null || of === null || of === sector),
  );
}

/** Returns when people passed unread, in order; spans that touch are joined. */
export function uncountedSpans(marks: readonly SectorMark[]): readonly UncountedSpan[] {
  const joined: UncountedSpan[] = [];
  for (const { sinceMs: fromMs, endedAtMs: toMs = Infinity } of marks.toSorted(
    (a, b) => a.sinceMs - b.sinceMs,
  )) {
    const last = joined.at(-1);
    if (!last || fromMs > last.toMs) joined.push({ fromMs, toMs });
    else joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, toMs) };
  }
  return joined;
}

/** Groups marks by sector, in the order in which sectors were first marked. */
export function groupBySector(
  marks: readonly SectorMark[],
): ReadonlyMap<string | null, readonly SectorMark[]> {
  const groups = new Map<string | null, SectorMark[]>();
  for (const mark of marks) {
    const group = groups.get(mark.sector);
    if (group) group.push(mark);
    else groups.set(mark.sector, [mark]);
  }
  return groups;
}

/** Returns the incomplete counts for the walls: first where people still pass unread, then the newest. */
export function incompleteCounts(marks: readonly SectorMark[]): readonly IncompleteCount[] {
  return [...groupBySector(marks.filter(({ mark }) => makesIncomplete(mark)))]
    .flatMap(([row, own]) => uncountedSpans(own).map((span) => Object.assign({ row }, span)))
    .toSorted((a, b) => Number(b.toMs === Infinity) - Number(a.toMs === Infinity) || b.fromMs - a.fromMs)
    .map(({ row, fromMs, toMs }) => ({ row, fromMs, toMs: toMs === Infinity ? null : toMs }));
}

/** Sums the estimates of these marks; null without any. */
export function estimatedCount(marks: readonly SectorMark[]): number | null {
  const counts = marks.flatMap(({ estimate }) => estimate?.count ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/** The same for a sector (null: the ground), of which an estimate of the whole ground says nothing. */
export function estimatedIn(marks: readonly SectorMark[], sector: string | null): number | null {
  return estimatedCount(marks.filter((mark) => sector === null || mark.sector === sector));
}

/**
 * Returns how many people had passed unread in a sector (null: the ground) by a moment, spreading each estimate evenly over
 * its mark's time. Null if a mark has no estimate, or a mark of the whole ground leaves the sector's share unknown.
 */
export function estimateUncounted(
  marks: readonly SectorMark[],
  sector: string | null,
): ((atMs: number) => number) | null {
  const here = uncountedMarks(marks, sector);
  const parts = here.flatMap(({ estimate, sinceMs, endedAtMs, sector: of }) =>
    estimate && (of !== null || sector === null)
      ? [{ count: estimate.count, fromMs: sinceMs, toMs: endedAtMs ?? estimate.atMs }]
      : [],
  );
  if (parts.length < here.length) return null;
  return (atMs) =>
    parts.reduce((sum, { count, fromMs, toMs }) => {
      const share = atMs >= toMs ? 1 : Math.max(0, (atMs - fromMs) / (toMs - fromMs));
      return sum + count * share;
    }, 0);
}
