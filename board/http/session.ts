import { TokenSigner } from './signed-token.ts';

export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1_000;

/**
 * Sessions that the server need not store: the cookie is the signed time at which the session ends. The signature
 * depends on the session secret, the dashboard key and the event: changing one of them ends every session.
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

  /** Opens a session at `nowMs` (Unix time), and returns the cookie's value. */
  open(nowMs: number): string {
    return this.#signer.sign((nowMs + this.lifetimeMs).toString(36));
  }

  /**
   * Returns when this session ends, in Unix milliseconds; `undefined` if the token is missing, forged, truncated, of
   * another event, or expired.
   */
  endOf(token: string | undefined, nowMs: number): number | undefined {
    const endsAtMs = Number.parseInt(this.#signer.read(token) ?? '', 36);
    return endsAtMs > nowMs ? endsAtMs : undefined;
  }
}
