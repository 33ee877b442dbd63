import type { EventDetails } from './event-details.ts';
import type { LogPosition } from './log-position.ts';
import type { TallyCounts } from './tally.ts';
import type { Sector } from './venue.ts';

/**
 * What is known of one event. It is plain data, so that it can be sent anywhere; each slice is complete and replaces the one
 * before it.
 */
export interface EventState {
  readonly eventId: string;
  /** `undefined` before the first snapshot. */
  readonly counts: CountsSlice | undefined;
  /** Only the displayed event has documents; `undefined` for others, and before the first snapshot. */
  readonly documents: DocumentsSlice | undefined;
}

export type EventStateSlice = CountsSlice | DocumentsSlice | DetailsSlice | IncompleteSlice;

/** All counts at one commit. Slices are ordered by their positions, also those of different counters. */
export interface CountsSlice extends TallyCounts {
  readonly kind: 'counts';
  readonly eventId: string;
  /** Names the snapshot from which counting began. */
  readonly epoch: string;
  /** How many commits since that snapshot have changed the counts. */
  readonly version: number;
  /** The position of the commit, or of the snapshot. */
  readonly position: LogPosition;
}

/** The limit for all documents of one event, as JSON, so that they fit one message; larger ones are not published. */
export const MAX_DOCUMENTS_BYTES = 500_000;

export interface DocumentsSlice {
  readonly kind: 'documents';
  readonly eventId: string;
  /** The position of the last commit that changed them, or of the snapshot. */
  readonly position: LogPosition;
  readonly documents: readonly SectorDocument[];
}

/** The event's metadata. It is read beside the stream: everything before the position is in it. */
export interface DetailsSlice {
  readonly kind: 'details';
  readonly eventId: string;
  readonly position: LogPosition;
  /** `undefined`: there is no metadata. */
  readonly details: EventDetails | undefined;
}

/** Which counts are incomplete, as operators have marked at a desk. */
export interface IncompleteSlice {
  readonly kind: 'incomplete';
  readonly eventId: string;
  /** The position of the counts beside which it was published. */
  readonly position: LogPosition;
  /** Empty: none. */
  readonly incomplete: readonly IncompleteCount[];
  /** The start of an active evacuation; absent or null: there is none, or a counter of an earlier version knows of none. */
  readonly evacuatedAtMs?: number | null;
}

/** A period in which people passed uncounted. Instants are milliseconds since 1970. */
export interface IncompleteCount {
  /** The code of the row; '' the tickets of no row; null: all. */
  readonly row: string | null;
  /** Null: it is not known whether there was one, as the record cannot be read. */
  readonly fromMs: number | null;
  /** Null: it has not ended. */
  readonly toMs: number | null;
}

/** A document of the event's sectors collection. */
export interface SectorDocument {
  readonly code: string;
  readonly data: unknown;
}

/** Whether the counts can be trusted now. It is the same for all events of a counter. */
export type Freshness =
  | { readonly live: true }
  /** The counts were last verified at this instant of the counter's monotonic clock, in milliseconds. */
  | { readonly live: false; readonly verifiedAtMs: number; readonly reason: StaleReason };

/** `connecting`: no connection to the source. `lag`: connected but behind. `changed`: cut off from its table. */
export type StaleReason = (typeof STALE_REASONS)[number];
export const STALE_REASONS = ['connecting', 'lag', 'changed'] as const;

/** A row of the screen, and the codes of the tickets in it. No code is in two rows. */
export type Row = Pick<Sector, 'code' | 'codes'>;

/** Returns the place of the row that has this name, or counts this code; that of the others (`rows.length`) if none does. */
export function placeOf(code: string, rows: readonly Row[]): number {
  const named = rows.findIndex((row) => row.code === code);
  const place = named < 0 ? rows.findIndex(({ codes }) => codes.includes(code)) : named;
  return place < 0 ? rows.length : place;
}

/** What a screen displays. `total` is always the sectors + `others`. */
export interface Counts {
  /** Every ticket whose holder has entered, of any sector and validity. */
  readonly total: number;
  /** The admissions by the code of the row. */
  readonly sectors: Readonly<Record<string, number>>;
  /** Entered with a code that is no sector's. */
  readonly others: number;
}

/** Returns the admissions of an event in the rows of its venue: each row has those of its codes. */
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
