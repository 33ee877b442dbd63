import { createHash } from 'node:crypto';
import type {
  CountsSlice,
  DetailsSlice,
  DocumentsSlice,
  IncompleteSlice,
  StaleReason,
} from '../../domain/event-state.ts';
import type { LogPosition } from '../../domain/log-position.ts';

/**
 * The version of the messages between counters and edges. Fields may be added under the same version: a reader ignores
 * those that it does not know. Another version is refused (docs/decisions/0027-states-over-nats.md: order of upgrades).
 */
export const WIRE = 1;

/** The advice to the operator about messages of another version. */
export const UPGRADE_ORDER = 'upgrade the edges first, then the counters';

/** No state is larger, by MAX_DOCUMENTS_BYTES and MAX_CODE_LENGTH. NATS refuses more than a megabyte. */
export const MAX_STATE_BYTES = 512 * 1_024;

/** One process that counts. */
export interface Sender {
  /** The node name of the counter. */
  readonly counter: string;
  /** Each process has another. */
  readonly run: string;
}

export interface SliceVersion {
  readonly position: LogPosition;
  /** `digestOf` the content. */
  readonly digest: string;
}

/** Counts, and the versions of the other slices that their counter has. */
export interface CountsMessage {
  readonly from: Sender;
  readonly state: CountsSlice;
  /** The server that was counted, as its source names it; `undefined` from older versions. */
  readonly server: string | undefined;
  readonly documents: SliceVersion;
  /** `undefined`: the event has no metadata. */
  readonly details: SliceVersion | undefined;
  /** `undefined`: its counter does not watch the flow of the event. */
  readonly incomplete: SliceVersion | undefined;
}

export type OtherSlice = DocumentsSlice | DetailsSlice | IncompleteSlice;

export interface SliceMessage {
  readonly from: Sender;
  readonly state: OtherSlice;
  readonly server: string | undefined;
  readonly digest: string;
}

/** A counter's answer; it holds for all events that it counts. */
export interface FreshnessAnswer {
  readonly from: Sender;
  /** How far it has counted; `undefined` before its first snapshot. */
  readonly position: LogPosition | undefined;
  readonly live: boolean;
  /** How long ago its counts were verified, when it answered, by its own clock. */
  readonly ageMs: number;
  /** What its `performance.now()` showed then; `undefined` from older versions. */
  readonly atMs: number | undefined;
  /** Why it is not live. */
  readonly reason: StaleReason | undefined;
  /** The server that it counted last, as its source names it. */
  readonly server: string | undefined;
}

/** What a counter counts. */
export interface Primary {
  /** System and timeline of a short position. */
  readonly timeline: string;
  readonly server: string | undefined;
}

/**
 * The primaries that counters count, by their node names. An edge sends them with its questions: it may reach counters that do
 * not reach each other's primary.
 */
export type CountedPrimaries = Readonly<Record<string, Primary>>;

export function digestOf(content: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(content) ?? '')
    .digest('hex')
    .slice(0, 16);
}

export const NO_DOCUMENTS = digestOf([]);
