import type { EventDetails } from './event-details.ts';
import type { LogPosition } from './log-position.ts';
import type { TallyCounts } from './tally.ts';
import type { Sector } from './venue.ts';

/**
 * What is known of one event. It is plain data, so that it can be carried anywhere; each slice is whole and replaces the
 * slice before it.
 */
export interface EventState {
  readonly eventId: string;
  /** `undefined` before the first snapshot. */
  readonly counts: CountsSlice | undefined;
  /** Told for the event that is shown only; `undefined` for others, and before the first snapshot. */
  readonly documents: DocumentsSlice | undefined;
}

export type EventStateSlice = CountsSlice | DocumentsSlice | DetailsSlice | IncompleteSlice;

/** All counts at one commit. Two slices are ordered by their positions, whoever counted. */
export interface CountsSlice extends TallyCounts {
  readonly kind: 'counts';
  readonly eventId: string;
  /** Names the snapshot that was counted on from. */
  readonly epoch: string;
  /** How many commits since that snapshot have changed the counts. */
  readonly version: number;
  /** Of the commit, or of the snapshot. */
  readonly position: LogPosition;
}

/** Of all documents of one event, as JSON: what is more is told to nobody, so that it fits one message. */
export const MAX_DOCUMENTS_BYTES = 500_000;

export interface DocumentsSlice {
  readonly kind: 'documents';
  readonly eventId: string;
  /** Of the last commit that changed them, or of the snapshot. */
  readonly position: LogPosition;
  readonly documents: readonly SectorDocument[];
}

/** What is said of the event. It is read beside the stream: everything before the position is in it. */
export interface DetailsSlice {
  readonly kind: 'details';
  readonly eventId: string;
  readonly position: LogPosition;
  /** `undefined`: nothing. */
  readonly details: EventDetails | undefined;
}

/** Which counts are less than what entered: told where a desk runs, as operators say it there. */
export interface IncompleteSlice {
  readonly kind: 'incomplete';
  readonly eventId: string;
  /** Of the counts beside which it was told. */
  readonly position: LogPosition;
  /** Empty: none. */
  readonly incomplete: readonly IncompleteCount[];
  /** Since when an evacuation holds; absent or null: none does, or a counter of an earlier version does not say. */
  readonly evacuatedAtMs?: number | null;
}

/** People passed who were not counted. Instants are milliseconds since 1970. */
export interface IncompleteCount {
  /** What names the row; '' the tickets of no row; null: all. */
  readonly row: string | null;
  /** Null: it is not known whether any were, as the record cannot be read. */
  readonly fromMs: number | null;
  /** Null: they still do. */
  readonly toMs: number | null;
}

/** A document of the event's sectors collection: read and logged, never shown. */
export interface SectorDocument {
  readonly code: string;
  readonly data: unknown;
}

/** Whether the counts can be trusted as of now. It is the counter's: the same for all its events. */
export type Freshness =
  | { readonly live: true }
  /** They were last known to be right at this instant of the counter's monotonic clock, in milliseconds. */
  | { readonly live: false; readonly verifiedAtMs: number; readonly reason: StaleReason };

/** `connecting`: no connection to the database. `lag`: connected but behind. `changed`: cut from its table. */
export type StaleReason = (typeof STALE_REASONS)[number];
export const STALE_REASONS = ['connecting', 'lag', 'changed'] as const;

/** What names a row of the screen, and the codes of the tickets in it. No code is in two rows. */
export type Row = Pick<Sector, 'code' | 'codes'>;

/** What a screen shows. `total` is always the sectors + `others`. */
export interface Counts {
  /** Every ticket whose holder has entered, whatever its sector and validity. */
  readonly total: number;
  /** By what names the row. */
  readonly sectors: Readonly<Record<string, number>>;
  /** Entered with a code that is no sector's. */
  readonly others: number;
}

/** The admissions of an event in the rows of its venue: each row has those of its codes. */
export function countAdmitted({ admitted, codes }: TallyCounts, rows: readonly Row[]): Counts {
  const byCode = new Map(codes.map((counted) => [counted.code, counted.admitted]));
  let others = admitted;
  const sectors = rows.map((row) => {
    const count = row.codes.reduce((sum, code) => sum + (byCode.get(code) ?? 0), 0);
    others -= count;
    return [row.code, count] as const;
  });
  return { total: admitted, sectors: Object.fromEntries(sectors), others };
}
