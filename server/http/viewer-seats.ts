import { normalizeIP } from '@fastify/rate-limit';
import { performance } from 'node:perf_hooks';

/** How many streams there may be. */
export interface ViewerLimits {
  readonly maxViewers: number;
  /** From one address; of IPv6, from one /64, which is what one customer gets. */
  readonly maxViewersPerAddress: number;
}

export type Seat =
  | { readonly taken: true; readonly leave: () => void }
  /** `isNews`: worth a line in the log, as there was none in the last minute. */
  | { readonly taken: false; readonly full: 'server' | 'address'; readonly isNews: boolean };

const NEWS_INTERVAL_MS = 60_000;

/** Counts the open streams, so that nobody's can take what the others need. Those who have a seat keep it. */
export class ViewerSeats {
  readonly #limits: ViewerLimits;
  readonly #byAddress = new Map<string, number>();
  #count = 0;
  #saidAtMs = -Infinity;

  constructor(limits: ViewerLimits) {
    this.#limits = limits;
  }

  /** `leave` gives the seat back; leaving twice is harmless. */
  take(address: string): Seat {
    const key = normalizeIP(address);
    const ofAddress = this.#byAddress.get(key) ?? 0;
    if (this.#count >= this.#limits.maxViewers) return this.#refuse('server');
    if (ofAddress >= this.#limits.maxViewersPerAddress) return this.#refuse('address');
    this.#count += 1;
    this.#byAddress.set(key, ofAddress + 1);
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      this.#leave(key);
    };
    return { taken: true, leave };
  }

  #refuse(full: 'server' | 'address'): Seat {
    const nowMs = performance.now();
    const isNews = nowMs - this.#saidAtMs >= NEWS_INTERVAL_MS;
    if (isNews) this.#saidAtMs = nowMs;
    return { taken: false, full, isNews };
  }

  #leave(key: string): void {
    this.#count -= 1;
    const left = (this.#byAddress.get(key) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(key);
    else this.#byAddress.set(key, left);
  }
}
