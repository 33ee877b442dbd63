import type { Lot } from './lots.ts';
import type { Minute } from './minute.ts';

/** Of one sector, at one moment. */
export interface SectorTotals {
  readonly admitted: number;
  readonly valid: number;
}

/** What one commit changed in one sector. `admitted` is `entered - reverted + moved`. */
export interface SectorChange {
  /** Its place among the rows of the venue; behind the last: the others. */
  readonly sector: number;
  readonly admitted: number;
  /** Tickets that became admitted, or appeared so. */
  readonly entered: number;
  /** Admitted tickets that are so no longer, or disappeared. */
  readonly reverted: number;
  /** Admitted tickets that came from other sectors and events, less those that went there. */
  readonly moved: number;
  readonly valid: number;
}

export interface FlowSeriesOptions {
  /** How many sectors there are, the others included. */
  readonly sectorCount: number;
  /** Told of each lot once: at its commit, or at the end of a minute that is one as a whole. */
  readonly onLot?: (lot: Lot) => void;
}

/** One event over time. All times are milliseconds since 1970 by the flow's clock. */
export class FlowSeries {
  readonly sectorCount: number;

  constructor({ sectorCount }: FlowSeriesOptions) {
    this.sectorCount = sectorCount;
  }

  /** Watching begins, or begins anew after a break: the totals, one a sector, were right at `atMs`. */
  begin(_atMs: number, _totals: readonly SectorTotals[]): void {
    throw new Error('not yet');
  }

  /** In the order of the log. A time before the last boundary that was passed counts in the running bucket. */
  commit(_atMs: number, _changes: readonly SectorChange[]): void {
    throw new Error('not yet');
  }

  /** Every commit before `atMs` has been told. Returns the minutes that became known by that, in order. */
  pass(_atMs: number): readonly Minute[] {
    throw new Error('not yet');
  }

  /** The clock was set: the minute in which that happened stays unknown. The next `begin` or `pass` has the new time. */
  interrupt(): void {
    throw new Error('not yet');
  }

  /**
   * Minutes that the record holds, before or after `begin`. Returns the minutes that became known by that, in order: not
   * these, but those beside them.
   */
  restore(_minutes: readonly Minute[]): readonly Minute[] {
    throw new Error('not yet');
  }

  /** The last boundary that was passed; `undefined` before the first. */
  get passedMs(): number | undefined {
    throw new Error('not yet');
  }

  /** As of the last commit. */
  get totals(): readonly SectorTotals[] {
    throw new Error('not yet');
  }

  /** Those known that begin at `fromMs` or later and before `toMs`, in order. */
  minutes(_fromMs: number, _toMs: number): readonly Minute[] {
    throw new Error('not yet');
  }

  /** Whether the minute that begins then is known. */
  known(_minuteMs: number): boolean {
    throw new Error('not yet');
  }

  /** How many were in at a boundary; `undefined` where it was not watched, or is not kept any more. */
  admittedAt(_boundaryMs: number, _sector: number): number | undefined {
    throw new Error('not yet');
  }

  /** When the last entry was seen; of a restored minute, its beginning. */
  lastEntryAtMs(_sector: number): number | undefined {
    throw new Error('not yet');
  }
}
