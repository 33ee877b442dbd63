import { randomBytes } from 'node:crypto';
import { TokenSigner } from '../../board/http/signed-token.ts';

export const DESK_SESSION_LIFETIME_MS = 14 * 60 * 60 * 1_000;

export interface DeskSession {
  /** Identifies the session for its limits per minute. */
  readonly id: string;
  /** The operator's name as declared. */
  readonly name: string;
  /** Unix milliseconds. */
  readonly endsAtMs: number;
}

/**
 * Sessions of the desk, without a store: the signed cookie carries the whole session. The signature depends on key, secret
 * and event, and differs from that of the wall's sessions.
 */
export class DeskSessions {
  readonly #lifetimeMs: number;
  readonly #signer: TokenSigner;

  /** `lifetimeMs` is for tests. */
  constructor(options: {
    sessionSecret: string;
    deskKey: string;
    eventId: string;
    lifetimeMs?: number | undefined;
  }) {
    const { sessionSecret, deskKey, eventId, lifetimeMs = DESK_SESSION_LIFETIME_MS } = options;
    this.#lifetimeMs = lifetimeMs;
    this.#signer = new TokenSigner(sessionSecret, `desk\n${eventId}\n${deskKey}`);
  }

  /** Opens a session that ends no later than `endsAtMs`. */
  open(name: string, nowMs: number, endsAtMs = Infinity): DeskSession {
    const id = randomBytes(12).toString('base64url');
    return { id, name, endsAtMs: Math.min(nowMs + this.#lifetimeMs, endsAtMs) };
  }

  /** Returns the cookie's value. */
  tokenOf({ id, name, endsAtMs }: DeskSession): string {
    return this.#signer.sign(Buffer.from(JSON.stringify([id, name, endsAtMs])).toString('base64url'));
  }

  /** Returns the session of a cookie; `undefined` if it is forged, cut, foreign or over. */
  read(token: string | undefined, nowMs: number): DeskSession | undefined {
    const text = this.#signer.read(token);
    if (text === undefined) return undefined;
    const [id, name, endsAtMs] = JSON.parse(Buffer.from(text, 'base64url').toString()) as SessionParts;
    return endsAtMs > nowMs ? { id, name, endsAtMs } : undefined;
  }
}

/** The contents of a signed token, which only `tokenOf` writes. */
type SessionParts = readonly [id: string, name: string, endsAtMs: number];
