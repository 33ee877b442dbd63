/** Of one sector, at one moment. */
export interface SectorTotals {
  readonly admitted: number;
  readonly valid: number;
}

/**
 * What can be asked of a series as of one moment, whether it is now or a recorded minute's end. Sectors are named by their
 * places among the rows of the venue; behind the last: the others. Times are milliseconds since 1970 by the flow's clock.
 */
export interface SeriesReading {
  /** How many sectors there are, the others included. */
  readonly sectorCount: number;
  /** The last boundary that is behind, watched or not; `undefined` before there is one. */
  readonly passedMs: number | undefined;
  /** By sector: as of the last commit, or of the newest minute. */
  readonly totals: readonly SectorTotals[];
  /** What a known minute brought without its lots; without a sector: in total. `undefined` where it is not known. */
  flow(minuteMs: number, sector?: number): number | undefined;
  /** How many were in at a boundary; `undefined` where it was not watched, or is not kept any more. */
  admittedAt(boundaryMs: number, sector: number): number | undefined;
  /**
   * What flowed between two boundaries, without lots; `undefined` where one of them was not watched, or is not kept any
   * more. What it was in between may not have been watched.
   */
  flowBetween(fromMs: number, toMs: number, sector: number): number | undefined;
  /** The best mean of five minutes so far, per minute; without a sector: of the total. `undefined` before there is one. */
  bestRate(sector?: number): number | undefined;
  /** When the last entry was seen; that of a recorded minute, at its beginning. */
  lastEntryAtMs(sector: number): number | undefined;
}
