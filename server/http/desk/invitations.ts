import { randomBytes } from 'node:crypto';

export const INVITATION_LIFETIME_MS = 2 * 60 * 1_000;

/** More than a control room has open at once; the oldest goes first. */
const MAX_OPEN = 200;

export interface Invitation {
  readonly invitation: string;
  /** Unix milliseconds. */
  readonly endsAtMs: number;
}

interface OpenInvitation {
  readonly endsAtMs: number;
  readonly hostEndsAtMs: number;
}

/**
 * Lets a phone in without the key: each invitation once, within two minutes. They are kept in memory, since what may be
 * used once cannot be without a store; a restart ends those that are open. Whoever is invited stays no longer than the
 * host's session, or a session could prolong itself for ever.
 */
export class Invitations {
  readonly #open = new Map<string, OpenInvitation>();

  invite(hostEndsAtMs: number, nowMs: number): Invitation {
    const oldest = this.#open.size >= MAX_OPEN ? this.#open.keys().next().value : undefined;
    if (oldest !== undefined) this.#open.delete(oldest);
    const invitation = randomBytes(18).toString('base64url');
    const endsAtMs = nowMs + INVITATION_LIFETIME_MS;
    this.#open.set(invitation, { endsAtMs, hostEndsAtMs });
    return { invitation, endsAtMs };
  }

  /** When the session that it opens ends at the latest; `undefined`: never given, used or over. */
  use(invitation: string, nowMs: number): number | undefined {
    const open = this.#open.get(invitation);
    this.#open.delete(invitation);
    return open && open.endsAtMs > nowMs ? open.hostEndsAtMs : undefined;
  }
}
