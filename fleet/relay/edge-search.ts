import type { NatsLink } from './nats-link.ts';
import { placeOf } from './nats-target.ts';

export interface EdgeSearchOptions {
  readonly link: Pick<
    NatsLink,
    'server' | 'connectedAtMs' | 'notConnectedReason' | 'allowanceMs' | 'changeToNext'
  >;
  /** How many NATS servers there are. */
  readonly servers: number;
}

/** A server behind which no edge has asked for this long is left, later where the link to it is slow: each asks four times a second. */
const UNASKED_MS = 1_500;
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Has a counter that no edge asks change to the next NATS server: the one in use may be parted from those of the edges, and
 * answer all the same. Where no edge asks behind any, the pauses grow.
 */
export class EdgeSearch {
  readonly #options: EdgeSearchOptions;
  #askedAtMs = -Infinity;
  #triedAtMs = -Infinity;
  #pauseMs = 0;

  constructor(options: EdgeSearchOptions) {
    this.#options = options;
  }

  /** `hasContact`: whether questions of any edge arrive. The caller gives the time. */
  check(hasContact: boolean, nowMs: number): void {
    const { link, servers } = this.#options;
    const { server } = link;
    if (hasContact) {
      this.#askedAtMs = nowMs;
      this.#pauseMs = 0;
      return;
    }
    if (servers < 2 || !server || link.notConnectedReason !== undefined) return;
    const unaskedMs = nowMs - Math.max(this.#askedAtMs, this.#triedAtMs, link.connectedAtMs);
    if (unaskedMs <= Math.max(UNASKED_MS + link.allowanceMs, this.#pauseMs)) return;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs));
    this.#triedAtMs = nowMs;
    link.changeToNext(`no edge asks behind ${placeOf(server)}: changing to the next NATS server`);
  }
}
