import { randomBytes } from 'node:crypto';
import { TokenSigner } from '../../board/http/signed-token.ts';

export const INVITATION_LIFETIME_MS = 2 * 60 * 1_000;

export interface Invitation {
  readonly invitation: string;
  /** Unix milliseconds. */
  readonly endsAtMs: number;
}

/** The invitations that this process has accepted, of all events. */
export interface UsedInvitations {
  /** When it began to record them. */
  readonly sinceMs: number;
  /** The end of their validity, by ID. */
  readonly untilMs: Map<string, number>;
}

/**
 * Signs a phone in without the key, within two minutes. An invitation is signed like a session, so that another process with
 * the same key and secret accepts it. Its use is kept in memory: each process accepts it once, and none that is older than the
 * process. The phone's session ends with the host's, or a session could prolong itself for ever.
 */
export class Invitations {
  readonly #signer: TokenSigner;
  readonly #used: UsedInvitations;

  constructor(options: {
    readonly sessionSecret: string;
    readonly deskKey: string;
    readonly eventId: string;
    readonly used: UsedInvitations;
  }) {
    const { sessionSecret, deskKey, eventId, used } = options;
    this.#signer = new TokenSigner(sessionSecret, `invitation\n${eventId}\n${deskKey}`);
    this.#used = used;
  }

  invite(hostEndsAtMs: number, nowMs: number): Invitation {
    const endsAtMs = nowMs + INVITATION_LIFETIME_MS;
    const id = randomBytes(6).toString('base64url');
    const parts = [id, endsAtMs.toString(36), hostEndsAtMs.toString(36)];
    return { invitation: this.#signer.sign(parts.join('.')), endsAtMs };
  }

  /** Returns when the phone's session must end; `undefined` if the invitation is unknown, used or over. */
  use(invitation: string, nowMs: number): number | undefined {
    const [id = '', ...times] = this.#signer.read(invitation)?.split('.') ?? [];
    const [endsAtMs = 0, hostEndsAtMs] = times.map((time) => Number.parseInt(time, 36));
    const { sinceMs, untilMs } = this.#used;
    if (endsAtMs <= nowMs || endsAtMs - INVITATION_LIFETIME_MS < sinceMs || untilMs.has(id)) return undefined;
    for (const [usedId, endMs] of untilMs) if (endMs <= nowMs) untilMs.delete(usedId);
    untilMs.set(id, endsAtMs);
    return hostEndsAtMs;
  }
}
