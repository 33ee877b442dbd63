import { normalizeIP } from '@fastify/rate-limit';
import { performance } from 'node:perf_hooks';

/** Limits the number of open streams. */
export interface ViewerLimits {
  readonly maxViewers: number;
  /** Limits the streams of one IPv4 address, or of one IPv6 /64, which is what one customer gets. */
  readonly maxViewersPerAddress: number;
}

export type Acquired =
  | { readonly ok: true; readonly release: () => void }
  /** `shouldLog`: no refusal was to be logged in the last minute. */
  | { readonly ok: false; readonly limit: 'server' | 'address'; readonly shouldLog: boolean };

const LOG_INTERVAL_MS = 60_000;

/** Refuses new streams beyond the limits, so that one address cannot use up those of the others. It never ends a stream. */
export class ConnectionLimiter {
  readonly #limits: ViewerLimits;
  readonly #byAddress = new Map<string, number>();
  #count = 0;
  #loggedAtMs = -Infinity;

  constructor(limits: ViewerLimits) {
    this.#limits = limits;
  }

  /** `release` may be called more than once. */
  acquire(address: string): Acquired {
    const key = normalizeIP(address);
    const ofAddress = this.#byAddress.get(key) ?? 0;
    if (this.#count >= this.#limits.maxViewers) return this.#refuse('server');
    if (ofAddress >= this.#limits.maxViewersPerAddress) return this.#refuse('address');
    this.#count += 1;
    this.#byAddress.set(key, ofAddress + 1);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#release(key);
    };
    return { ok: true, release };
  }

  #refuse(limit: 'server' | 'address'): Acquired {
    const nowMs = performance.now();
    const shouldLog = nowMs - this.#loggedAtMs >= LOG_INTERVAL_MS;
    if (shouldLog) this.#loggedAtMs = nowMs;
    return { ok: false, limit, shouldLog };
  }

  #release(key: string): void {
    this.#count -= 1;
    const left = (this.#byAddress.get(key) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(key);
    else this.#byAddress.set(key, left);
  }
}
