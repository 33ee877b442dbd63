import { randomBytes } from 'node:crypto';
import { TokenSigner } from '../../board/http/signed-token.ts';

export const DESK_SESSION_LIFETIME_MS = 14 * 60 * 60 * 1_000;

export interface DeskSession {
  /** Of this session alone: what it may do in a minute is counted by it. */
  readonly id: string;
  /** The operator's, as declared. */
  readonly name: string;
  /** Unix milliseconds. */
  readonly endsAtMs: number;
}

/**
 * Sessions of the desk, without a store: a session is carried whole in its cookie, signed. Another key or secret, or
 * another event, signs otherwise; and the wall's sessions are signed otherwise in any case.
 */
export class DeskSessions {
  readonly #lifetimeMs: number;
  readonly #signer: TokenSigner;

  /** `lifetimeMs` is for tests: in use, a session lasts DESK_SESSION_LIFETIME_MS. */
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

  /** A new one. `endsAtMs`: no later than this. */
  open(name: string, nowMs: number, endsAtMs = Infinity): DeskSession {
    const id = randomBytes(12).toString('base64url');
    return { id, name, endsAtMs: Math.min(nowMs + this.#lifetimeMs, endsAtMs) };
  }

  /** The cookie's value. */
  tokenOf({ id, name, endsAtMs }: DeskSession): string {
    return this.#signer.sign(Buffer.from(JSON.stringify([id, name, endsAtMs])).toString('base64url'));
  }

  /** The session of a cookie; `undefined`: forged, cut, foreign or over. */
  read(token: string | undefined, nowMs: number): DeskSession | undefined {
    const text = this.#signer.read(token);
    if (text === undefined) return undefined;
    const [id, name, endsAtMs] = JSON.parse(Buffer.from(text, 'base64url').toString()) as SessionParts;
    return endsAtMs > nowMs ? { id, name, endsAtMs } : undefined;
  }
}

/** As tokenOf wrote them: nobody else can sign. */
type SessionParts = readonly [id: string, name: string, endsAtMs: number];
