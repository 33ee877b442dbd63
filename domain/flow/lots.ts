/** More at once than a sector can pass: offline turnstiles that catch up, or a file. */
export interface Lot {
  readonly sector: number;
  readonly atMs: number;
  /** Less than zero where so many were taken back. */
  readonly count: number;
}
