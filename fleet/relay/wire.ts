import { createHash } from 'node:crypto';
import type {
  CountsPart,
  DetailsPart,
  DocumentsPart,
  IncompletePart,
  StaleReason,
} from '../../domain/event-state.ts';
import type { LogPosition } from '../../domain/log-position.ts';

/**
 * The version of the messages between counters and edges. Fields may be added under the same version: whoever does not
 * know one ignores it. Another version is refused (docs/decisions/0027-states-over-nats.md has the order of upgrades).
 */
export const WIRE = 1;

/** What whoever hears another version is to do. */
export const UPGRADE_ORDER = 'upgrade the edges first, then the counters';

/** No state is larger: MAX_DOCUMENTS_BYTES and MAX_CODE_LENGTH see to it. NATS refuses more than a megabyte. */
export const MAX_STATE_BYTES = 512 * 1_024;

/** One process that counts. */
export interface Sender {
  /** Its node name. */
  readonly counter: string;
  /** Made anew with each process. */
  readonly run: string;
}

/** Which state of a part somebody has. */
export interface PartVersion {
  readonly position: LogPosition;
  /** Of its content: the same content has the same. */
  readonly digest: string;
}

/** Counts, and which versions of the other parts their counter has. */
export interface CountsMessage {
  readonly from: Sender;
  readonly state: CountsPart;
  readonly documents: PartVersion;
  /** `undefined`: none are known. */
  readonly details: PartVersion | undefined;
  /** `undefined`: its counter does not watch the flow of the event. */
  readonly incomplete: PartVersion | undefined;
}

/** What of a state travels beside its counts, when it changes. */
export type OtherPart = DocumentsPart | DetailsPart | IncompletePart;

export interface PartMessage {
  readonly from: Sender;
  readonly state: OtherPart;
  readonly digest: string;
}

/** A counter's answer about all that it counts. */
export interface FreshnessAnswer {
  readonly from: Sender;
  /** How far it has counted; `undefined` before its first snapshot. */
  readonly position: LogPosition | undefined;
  readonly live: boolean;
  /** How long ago its counts were known to be right, at the moment of answering, by its own clock. */
  readonly ageMs: number;
  /** Why it is not live. */
  readonly reason: StaleReason | undefined;
}

/** Of the content of one of the other parts. */
export function digestOf(content: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(content) ?? '')
    .digest('hex')
    .slice(0, 16);
}

export const NO_DOCUMENTS = digestOf([]);
