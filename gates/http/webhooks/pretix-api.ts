import { errorMessage } from '../../cli/errors.ts';
import { unavailable } from '../refusal.ts';
import type { PretixSettings } from './settings.ts';

/** Pretix waits 30 s for the answer to a webhook. */
const ANSWER_LIMIT_MS = 10_000;

/** A check-in as part of a position, where it was successful, or by itself. */
export interface PretixCheckin {
  readonly id: number;
  readonly list: number;
  readonly datetime: string;
  readonly type?: string;
  readonly position?: number | null;
}

export interface PretixPosition {
  readonly id: number;
  readonly order: string;
  readonly item: number;
  readonly secret: string;
  readonly canceled?: boolean;
  readonly blocked?: readonly string[] | null;
  readonly checkins: readonly PretixCheckin[];
}

export interface PretixOrder {
  readonly status: string;
  readonly valid_if_pending?: boolean;
  readonly positions: readonly PretixPosition[];
}

interface PretixPage<T> {
  readonly next: string | null;
  readonly results: readonly T[];
}

/** Pretix, until `stop` aborts. */
export interface Pretix extends PretixSettings {
  readonly stop: AbortSignal;
}

/** Reads pretix's REST API: `path` follows the address of the event. @throws Refusal 503 without a good answer. */
export async function askPretix<T>({ eventUrl, token, stop }: Pretix, path: string): Promise<T> {
  let why: string;
  try {
    const response = await fetch(`${eventUrl}/${path}`, {
      headers: { authorization: `Token ${token}`, accept: 'application/json' },
      // The token is for this host only.
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    });
    if (response.ok) return (await response.json()) as T;
    await response.body?.cancel();
    why = `it answers ${response.status}`;
  } catch (error) {
    const { cause } = error as Error;
    why = errorMessage(cause ?? error);
  }
  throw unavailable(`pretix cannot be asked for ${path}: ${why}. Nothing was changed.`);
}

/** Reads all pages of a list. */
export async function askForAll<T>(pretix: Pretix, path: string): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const { results, next } = await askPretix<PretixPage<T>>(pretix, `${path}&page=${page}`);
    all.push(...results);
    if (next === null) return all;
  }
}
