export interface SectorTotals {
  readonly admitted: number;
  readonly valid: number;
  /** Of the admitted, those whose ticket is not valid; absent from recorded minutes. */
  readonly invalid?: number;
}

/**
 * A series as of one moment: now, or the end of a recorded minute. Sectors are indexes of the venue's rows, and the last one
 * is that of the others. Times are milliseconds since 1970 by the flow's clock.
 */
export interface SeriesReading {
  /** The number of sectors, the others included. */
  readonly sectorCount: number;
  /** The last elapsed boundary, observed or not; `undefined` before the first. */
  readonly lastBoundaryMs: number | undefined;
  /** Totals by sector, as of the last commit or of the newest minute. */
  readonly totals: readonly SectorTotals[];
  /** Returns the flow of a confirmed minute (`flowOf`), of one sector or in total; `undefined` if unconfirmed. */
  flow(minuteMs: number, sector?: number): number | undefined;
  /** Returns the count at a boundary; `undefined` unless it was observed and is still kept. */
  admittedAt(boundaryMs: number, sector: number): number | undefined;
  /**
   * Returns the flow between two boundaries; `undefined` unless both were observed and are still kept. Boundaries in between
   * need not have been observed.
   */
  flowBetween(fromMs: number, toMs: number, sector: number): number | undefined;
  /** Returns the best mean of five minutes so far, per minute, of one sector or in total; `undefined` before the first. */
  bestRate(sector?: number): number | undefined;
  /** Returns when the last entry was seen, beside late batches; for a recorded minute, its beginning. */
  lastEntryAtMs(sector: number): number | undefined;
}
