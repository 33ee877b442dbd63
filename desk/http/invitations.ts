import { randomBytes } from 'node:crypto';
import { TokenSigner } from '../../board/http/signed-token.ts';

export const INVITATION_LIFETIME_MS = 2 * 60 * 1_000;

export interface Invitation {
  readonly invitation: string;
  /** Unix milliseconds. */
  readonly endsAtMs: number;
}

/** Which invitations this process has let a phone in by, of all events. */
export interface UsedInvitations {
  /** When it began to know. */
  readonly sinceMs: number;
  /** Until when they would be good, by their IDs. */
  readonly untilMs: Map<string, number>;
}

/**
 * Lets a phone in without the key, within two minutes. An invitation is signed, as a session is: another process with the
 * same key and secret, behind the same balancer, knows it for what it is. That it was used is kept in memory, since what
 * may be used once cannot be without a store: each process lets one phone in by it, and none by one that is older than
 * the process. Whoever is invited stays no longer than the host's session, or a session could prolong itself for ever.
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

  /** When the session that it opens ends at the latest; `undefined`: never given, used or over. */
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
