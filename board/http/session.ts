import { TokenSigner } from './signed-token.ts';

export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1_000;

/**
 * Sessions without a store: a session is its end, signed. Another key, secret or event has other signatures, so that no session
 * outlives a change of them.
 */
export class Sessions {
  readonly lifetimeMs: number;
  readonly #signer: TokenSigner;

  /** `lifetimeMs` is for tests; the default is SESSION_LIFETIME_MS. */
  constructor(options: {
    sessionSecret: string;
    dashboardKey: string;
    eventId: string;
    lifetimeMs?: number | undefined;
  }) {
    const { sessionSecret, dashboardKey, eventId, lifetimeMs = SESSION_LIFETIME_MS } = options;
    this.lifetimeMs = lifetimeMs;
    this.#signer = new TokenSigner(sessionSecret, `${eventId}\n${dashboardKey}`);
  }

  /** `nowMs`: Unix time. Returns the cookie's value. */
  open(nowMs: number): string {
    return this.#signer.sign((nowMs + this.lifetimeMs).toString(36));
  }

  /** When this session ends, in Unix milliseconds; `undefined`: forged, cut, foreign or over. */
  endOf(token: string | undefined, nowMs: number): number | undefined {
    const endsAtMs = Number.parseInt(this.#signer.read(token) ?? '', 36);
    return endsAtMs > nowMs ? endsAtMs : undefined;
  }
}
