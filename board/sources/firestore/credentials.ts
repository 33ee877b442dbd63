import { performance } from 'node:perf_hooks';
import { accountTokens } from './account-tokens.ts';
import { FirestoreError } from './firestore-error.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import type { FirestoreLimits } from './limits.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';
import type { NewToken } from './token-request.ts';

/** What authorizes requests, for a while. */
export interface BearerToken {
  readonly value: string;
  /** An instant of `performance.now()`, before which another one is to be taken. */
  readonly renewAtMs: number;
  /** Firestore accepts it no more from then on. */
  readonly endsAtMs: number;
}

/** The last minute of a lifetime is not used: requests take time, and clocks differ. */
const MARGIN_MS = 60_000;

/** The tokens of the account that the settings name, one after the other. */
export class Credentials {
  readonly #fetchToken: (signal: AbortSignal) => Promise<NewToken>;
  readonly #tokenUseMs: number;
  #token: BearerToken | undefined;
  #fetching: Promise<BearerToken> | undefined;

  constructor(settings: FirestoreSettings, { tokenUseMs }: Pick<FirestoreLimits, 'tokenUseMs'>) {
    this.#fetchToken = tokensOf(settings);
    this.#tokenUseMs = tokenUseMs;
  }

  /** A token that need not be renewed yet, or cannot be now and is still good. Rejects with a FirestoreError. */
  async token(signal: AbortSignal): Promise<BearerToken> {
    const token = this.#token;
    if (token && performance.now() < token.renewAtMs) return token;
    try {
      return await this.renew(signal);
    } catch (error) {
      const canWait = error instanceof FirestoreError && error.shouldRetry;
      if (token && canWait && performance.now() < token.endsAtMs) return token;
      throw error;
    }
  }

  /** Another token. */
  renew(signal: AbortSignal): Promise<BearerToken> {
    this.#fetching ??= this.#fetch(signal).finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  /** Firestore has refused it. */
  forget(): void {
    this.#token = undefined;
  }

  async #fetch(signal: AbortSignal): Promise<BearerToken> {
    const askedAtMs = performance.now();
    const { value, lifetimeMs } = await this.#fetchToken(signal);
    const usableMs = Math.max(0, lifetimeMs - MARGIN_MS);
    this.#token = {
      value,
      renewAtMs: askedAtMs + Math.min(this.#tokenUseMs, 0.8 * usableMs),
      endsAtMs: askedAtMs + usableMs,
    };
    return this.#token;
  }
}

function tokensOf(settings: FirestoreSettings): (signal: AbortSignal) => Promise<NewToken> {
  const { credentials, emulatorHost } = settings;
  if (credentials.kind === 'account') return accountTokens(settings, credentials);
  // Firebase's own libraries are the emulator's owner with a service account, too.
  if (credentials.kind === 'emulator-owner' || emulatorHost !== undefined)
    return async () => ({ value: 'owner', lifetimeMs: Infinity });
  return serviceAccountTokens(credentials.file);
}
