import { ConnectionFaultError, type ServerPlace } from '../../database/connection-fault.ts';
import { type Primary, PrimaryWatch } from '../../database/primary/primary-watch.ts';
import type { RecordLimits } from './record-limits.ts';

/** The hosts that RECORD_DATABASE_URL names: which of them is the primary that is written to. */
export class RecordHosts {
  readonly #watch: PrimaryWatch;
  readonly #limits: RecordLimits;
  /** The system identifier of the last primary. */
  #followed: string | undefined;
  #awaitPromotion = false;

  constructor(url: string, place: ServerPlace, limits: RecordLimits) {
    this.#watch = new PrimaryWatch(url, place);
    this.#limits = limits;
  }

  /** Whether the last look found a standby that may be promoted at any moment, and no primary. */
  get awaitPromotion(): boolean {
    return this.#awaitPromotion;
  }

  /** @throws whatever the hosts say where none is the primary. */
  async find(isFirst: boolean): Promise<Primary> {
    try {
      const thorough = this.#followed === undefined && isFirst;
      const primary = await this.#watch.find({ followed: this.#followed, thorough });
      this.#awaitPromotion = false;
      this.#followed = primary.found?.systemId;
      return primary;
    } catch (error) {
      this.#awaitPromotion = error instanceof ConnectionFaultError && error.fault.awaitsPromotion === true;
      throw error;
    }
  }

  /** Goes on looking. Returns what ends it. */
  follow(primary: Primary, onRetired: (error: ConnectionFaultError) => void): () => void {
    return this.#watch.follow(primary, {
      everyMs: this.#limits.hostsEveryMs,
      onRetired,
      // The feed tells of them.
      onWarning: () => {},
    });
  }

  end(): Promise<void> {
    return this.#watch.end();
  }
}
