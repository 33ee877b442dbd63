import type { LogRow } from '../flow-log.ts';
import { makesIncomplete } from '../log-state.ts';
import { MARK_SLIP_MS } from './limits.ts';

/** While people passed who were not read. */
export interface IncompleteSpan {
  readonly fromMs: number;
  /** When the last of its marks was taken back; Infinity: it holds. */
  readonly toMs: number;
}

/**
 * Whose counts are incomplete since when; null: all of them. From a mark on, even if it was taken back: who was not read in
 * the meantime is still not counted.
 */
export function readIncompleteSince(log: readonly LogRow[]): ReadonlyMap<string | null, number> {
  return new Map(
    [...readIncompleteSpans(log)].map(([sector, spans]) => [
      sector,
      Math.min(...spans.map(({ fromMs }) => fromMs)),
    ]),
  );
}

/** Where people passed unread, and when: of each that was marked, at least one, in their order; null: on the whole ground. */
export function readIncompleteSpans(
  log: readonly LogRow[],
): ReadonlyMap<string | null, readonly IncompleteSpan[]> {
  const takenBackAtMs = readTakenBackAtMs(log);
  const spans = new Map<string | null, readonly IncompleteSpan[]>();
  for (const row of log) {
    if (row.kind !== 'mark' || !makesIncomplete(row.data.mark)) continue;
    const span = { fromMs: row.atMs, toMs: takenBackAtMs.get(row.id) ?? Infinity };
    if (!isSlip(span)) spans.set(row.sector, joinSpans([...(spans.get(row.sector) ?? []), span]));
  }
  return spans;
}

/** When what was taken back was taken back, by the id of its entry. */
export function readTakenBackAtMs(log: readonly LogRow[]): ReadonlyMap<string, number> {
  return new Map(log.flatMap((row) => (row.kind === 'take-back' ? [[row.data.id, row.atMs] as const] : [])));
}

/** Whether a mark was taken back so soon that it never held. */
export function isSlip({ fromMs, toMs }: IncompleteSpan): boolean {
  return toMs - fromMs <= MARK_SLIP_MS;
}

/** In their order, those that touch each other as one. */
export function joinSpans(spans: readonly IncompleteSpan[]): readonly IncompleteSpan[] {
  const joined: IncompleteSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (!last || span.fromMs > last.toMs) joined.push(span);
    else joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
  }
  return joined;
}
