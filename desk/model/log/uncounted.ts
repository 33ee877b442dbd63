import type { IncompleteCount } from '../../../domain/event-state.ts';
import { makesIncomplete, type SectorMark } from './marks.ts';

/** While people passed who were not read. */
export interface UncountedSpan {
  readonly fromMs: number;
  /** Infinity: they still do. */
  readonly toMs: number;
}

/** The marks by which a row's count is incomplete; of the whole ground, any. `sector`: a row's code, '' the others; null the ground. */
export function uncountedMarks(marks: readonly SectorMark[], sector: string | null): readonly SectorMark[] {
  return marks.filter(
    ({ mark, sector: of }) => makesIncomplete(mark) && (sector === null || of === null || of === sector),
  );
}

/** When people passed unread, in their order; spans that touch each other are one. */
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

/** By what each of them is of, in the order in which that was first marked. */
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

/** What screens are told of it. */
export function incompleteCounts(marks: readonly SectorMark[]): readonly IncompleteCount[] {
  return [...groupBySector(marks.filter(({ mark }) => makesIncomplete(mark)))].flatMap(([row, own]) =>
    uncountedSpans(own).map(({ fromMs, toMs }) => ({ row, fromMs, toMs: toMs === Infinity ? null : toMs })),
  );
}

/** Of those who passed unread under these marks, as many as estimates say; null where there is no estimate. */
export function estimatedCount(marks: readonly SectorMark[]): number | null {
  const counts = marks.flatMap(({ estimate }) => estimate?.count ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/**
 * How many had passed unread at a place by a moment, as the estimates of all its marks say, each evenly over the time of its
 * mark. Null where one has no estimate, or is of the whole ground and the place is not: nobody knows how many of those passed
 * there.
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
