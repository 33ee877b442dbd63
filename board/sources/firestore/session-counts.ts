import { type Channel, RequestError } from './channel.ts';
import { type CountChecks, conditionsOf } from './count-checks.ts';
import { CountProofs } from './count-fallback.ts';
import { firestoreError, protocolError } from './firestore-error.ts';
import type { FirestorePlace } from './firestore-place.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import { GRPC_CODE } from './grpc-status.ts';
import type { FirestoreLimits } from './limits.ts';
import { type CountAnswer, decodeCountResponse } from './messages.ts';
import type { ReadMeter } from './read-meter.ts';
import { encodeCount } from './requests.ts';
import type { CountedKind, TicketMemory } from './ticket-memory.ts';

/** A request that ends so will end so again. */
const LASTING: ReadonlySet<number> = new Set([
  GRPC_CODE.INVALID_ARGUMENT,
  GRPC_CODE.PERMISSION_DENIED,
  GRPC_CODE.FAILED_PRECONDITION,
  GRPC_CODE.UNIMPLEMENTED,
]);

export interface SessionCountsOptions {
  readonly settings: FirestoreSettings;
  readonly place: FirestorePlace;
  readonly limits: FirestoreLimits;
  readonly token: string;
  readonly channel: Channel;
  readonly memory: TicketMemory;
  readonly checks: CountChecks;
  readonly meter: ReadMeter;
  /** A count differs from ours, and all tickets are to be read again. */
  readonly onDifference: (ours: number, theirs: number) => void;
  /** A count has been compared. */
  readonly onChecked: () => void;
  readonly onProof: (readTimeUs: number, askedAtMs: number) => void;
  /** `undefined`: counts can be compared. */
  readonly onWarning: (warning: string | undefined) => void;
}

/** Asks Firestore for its own counts on the connection of a session: to compare them, and as proofs where probes fail. */
export class SessionCounts {
  readonly #options: SessionCountsOptions;
  readonly #proofs: CountProofs;
  #isChecking = false;

  constructor(options: SessionCountsOptions) {
    this.#options = options;
    this.#proofs = new CountProofs(options.limits, options.memory);
  }

  /** Compares what is due, one count after the other, as of the last reading. */
  async check(): Promise<void> {
    const { settings, memory, checks, onDifference, onChecked, onWarning } = this.#options;
    const check = this.#isChecking ? undefined : checks.next(memory);
    if (!check) return;
    this.#isChecking = true;
    try {
      const { count } = await this.#count(check.kind, memory.readTimeUs);
      onWarning(undefined);
      if (checks.take(check, count)) onDifference(check.ours, count);
      onChecked();
    } catch (error) {
      if (!(error instanceof RequestError) || !LASTING.has(error.end.code)) return;
      const { message } = firestoreError(error.end, settings, 'a count of the tickets');
      onWarning(`The counts are not compared with Firestore's own: ${message}`);
    } finally {
      this.#isChecking = false;
    }
  }

  /** Asks for a count as a proof, where none was asked for lately. Returns whether there was an answer. */
  async prove(): Promise<boolean> {
    if (!this.#proofs.isDue) return false;
    return await this.#proofs.ask(() => this.#count({ entrou: true }, undefined), this.#options.onProof);
  }

  /** There is a new reading. Returns when the newest count was asked that it has caught up with. */
  caughtUp(): number | undefined {
    return this.#proofs.caughtUp();
  }

  async #count(kind: CountedKind, readTimeUs: number | undefined): Promise<CountAnswer> {
    const { place, channel, token, limits, meter } = this.#options;
    const { parent } = place.tickets;
    const request = encodeCount({ ...place.tickets, where: conditionsOf(kind) }, readTimeUs);
    const call = { method: 'RunAggregationQuery', request, token, routing: { parent } };
    const responses = await channel.ask(call, limits.silenceMs);
    const answer = responses.map(decodeCountResponse).find((found) => found !== undefined);
    if (!answer) throw protocolError('a count was asked for, and none came');
    meter.count(answer.count);
    return answer;
  }
}
