import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1_000;

/**
 * Sessions without a store: a session is the instant it ends, signed. Another key or secret, or another event,
 * signs otherwise, so that no older session outlives a change of them.
 */
export class Sessions {
  readonly lifetimeMs: number;
  readonly #key: Buffer;

  /** `lifetimeMs` is for tests: in use, a session lasts SESSION_LIFETIME_MS. */
  constructor(options: {
    sessionSecret: string;
    dashboardKey: string;
    eventId: string;
    lifetimeMs?: number | undefined;
  }) {
    const { sessionSecret, dashboardKey, eventId, lifetimeMs = SESSION_LIFETIME_MS } = options;
    this.lifetimeMs = lifetimeMs;
    this.#key = createHmac('sha256', sessionSecret).update(`${eventId}\n${dashboardKey}`).digest();
  }

  /** `nowMs`: Unix time. Returns the cookie's value. */
  open(nowMs: number): string {
    const endsAt = (nowMs + this.lifetimeMs).toString(36);
    return `${endsAt}.${this.#sign(endsAt)}`;
  }

  /** When this session ends, in Unix milliseconds; `undefined`: forged, cut, foreign or over. */
  endOf(token: string | undefined, nowMs: number): number | undefined {
    const [endsAt, signature, ...rest] = (token ?? '').split('.');
    if (!endsAt || !signature || rest.length > 0) return undefined;
    if (!equalInConstantTime(signature, this.#sign(endsAt))) return undefined;
    const endsAtMs = Number.parseInt(endsAt, 36);
    return endsAtMs > nowMs ? endsAtMs : undefined;
  }

  #sign(endsAt: string): string {
    return createHmac('sha256', this.#key).update(endsAt).digest('base64url');
  }
}

/** Takes as long wherever the texts differ, and whatever their lengths. */
export function equalInConstantTime(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
