import type { DeskState } from '../desk-state.ts';
import type { Source } from './flow-log.ts';

/** The state and the hashes of both CSVs for the printed record. Hashes are SHA-256 in hexadecimal. */
export interface RecordProof {
  /** The state at the time of the request. */
  readonly state: DeskState;
  /** The source of the minutes; rows of the log have their own. */
  readonly source: Source;
  readonly minutes: CsvProof;
  readonly log: CsvProof & {
    /** The hash of its last row; null before the first. */
    readonly lastLink: string | null;
  };
}

interface CsvProof {
  /** The end of the last minute, in ms since 1970, or the `seq` of the last row; `?to=` returns the same file again. */
  readonly to: number;
  /** The lines below the header. */
  readonly lines: number;
  readonly sha256: string;
}
