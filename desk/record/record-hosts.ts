import { ConnectionFaultError, type ServerPlace } from '../../database/connection-fault.ts';
import { type Primary, PrimaryWatch } from '../../database/primary/primary-watch.ts';
import type { RecordLimits } from './record-limits.ts';

/** Finds the primary among the hosts of RECORD_DATABASE_URL. */
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

  /** Whether the last search found no primary, but a standby that may be promoted at any moment. */
  get awaitPromotion(): boolean {
    return this.#awaitPromotion;
  }

  /** @throws the hosts' errors if none is the primary */
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

  /** Watches the hosts for a newer primary. Returns a function that stops it. */
  follow(primary: Primary, onRetired: (error: ConnectionFaultError) => void): () => void {
    return this.#watch.follow(primary, {
      everyMs: this.#limits.hostsEveryMs,
      onRetired,
      // The source of the tickets reports the same hosts.
      onWarning: () => {},
    });
  }

  end(): Promise<void> {
    return this.#watch.end();
  }
}
