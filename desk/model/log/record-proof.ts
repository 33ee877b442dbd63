import type { DeskState } from '../desk-state.ts';
import type { Source } from './flow-log.ts';

/** What the printed record says of itself, and what its two CSVs are known by. Hashes are SHA-256 in hexadecimal. */
export interface RecordProof {
  /** As of the moment at which it was asked for. */
  readonly state: DeskState;
  /** Of the minutes; rows of the log have their own. */
  readonly source: Source;
  readonly minutes: CsvProof;
  readonly log: CsvProof & {
    /** The hash of its last row; null before the first. */
    readonly lastLink: string | null;
  };
}

interface CsvProof {
  /** What the file ends with: minutes that end by then, in ms since 1970; rows up to this one. Asked for, it is the same. */
  readonly to: number;
  /** Its lines below the header. */
  readonly lines: number;
  readonly sha256: string;
}
