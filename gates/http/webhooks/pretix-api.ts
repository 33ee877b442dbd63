import { Readable } from 'node:stream';
import { errorMessage } from '../../cli/errors.ts';
import { receiveBytes } from '../receive-bytes.ts';
import { unavailable } from '../refusal.ts';
import type { PretixWatch } from './pretix-watch.ts';
import type { PretixSettings } from './settings.ts';

/** An order of a thousand positions has less. */
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

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
  /** The date, in an event that is a series. */
  readonly subevent?: number | null;
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
  readonly watch: PretixWatch;
  /** What is asked together is given up after so long. */
  readonly answerMs: number;
}

/** Pretix, until `signal` aborts. */
export interface AskedPretix extends Pretix {
  readonly signal: AbortSignal;
}

/**
 * Gives all that `ask` asks of pretix one time limit. Uses a timer, since Node may collect a signal of AbortSignal.timeout
 * that AbortSignal.any joins, and then neither fires (nodejs/node#57736, #65995).
 */
export async function askInTime<T>(pretix: Pretix, ask: (pretix: AskedPretix) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), pretix.answerMs);
  try {
    return await ask({ ...pretix, signal: AbortSignal.any([pretix.stop, over.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** Reads pretix's REST API: `path` follows the address of the event. @throws Refusal 503 without a good answer. */
async function askPretix<T>(pretix: AskedPretix, path: string): Promise<T> {
  const answer = await askIfThere<T>(pretix, path);
  if (answer === undefined) throw cannotAsk(path, 'it answers 404');
  return answer;
}

/**
 * Does what `askPretix` does, but returns undefined for what pretix does not have. A 404 is believed where the check-in
 * list is found: a proxy may answer so for a pretix that is away, which itself answers 403 where it lacks the event.
 */
export async function askIfThere<T>(pretix: AskedPretix, path: string): Promise<T | undefined> {
  const { eventUrl, token, stop, signal, watch, answerMs } = pretix;
  const isOfList = path === listPath(pretix);
  let why: string;
  let status: number | undefined;
  try {
    const response = await fetch(`${eventUrl}/${path}`, {
      headers: { authorization: `Token ${token}`, accept: 'application/json' },
      // The token is for this host only.
      redirect: 'error',
      signal,
    });
    status = response.status;
    if (response.ok) {
      const answer = (await readJson(response)) as T;
      watch.answered(isOfList);
      return answer;
    }
    await response.body?.cancel();
    why = `it answers ${status}`;
  } catch (error) {
    const { cause } = error as Error;
    why = signal.aborted ? `no answer within ${answerMs / 1_000} s` : errorMessage(cause ?? error);
  }
  if (status === 404 && !isOfList) {
    await readList(pretix);
    return undefined;
  }
  // Any other fault may be of this order alone.
  const isNotReached = status === undefined && !signal.aborted;
  const isOfAll = isOfList || isNotReached || status === 401 || status === 403;
  if (isOfAll && !stop.aborted) watch.failed(why, status);
  throw cannotAsk(path, why);
}

export interface CheckinList {
  readonly all_products: boolean;
  readonly limit_products: readonly number[];
  /** The date whose positions it has; null: all dates. */
  readonly subevent?: number | null;
  readonly include_pending?: boolean;
}

/** Reads the check-in list whose entries count. @throws Refusal 503 without a good answer. */
export function readList(pretix: AskedPretix): Promise<CheckinList> {
  return askPretix(pretix, listPath(pretix));
}

function listPath({ list }: Pretix): string {
  return `checkinlists/${list}/`;
}

/** @throws Error where the answer is too large, breaks off, or is no JSON. */
async function readJson({ body }: Response): Promise<unknown> {
  const tooLarge = (): Error => new Error(`its answer is larger than ${MAX_ANSWER_BYTES / 2 ** 20} MB`);
  const chunks: Uint8Array[] = [];
  const stream = Readable.from(body ?? []);
  try {
    const take = (chunk: Uint8Array): void => void chunks.push(chunk);
    const release = await receiveBytes(stream, {}, MAX_ANSWER_BYTES, take, tooLarge);
    release();
    return JSON.parse(Buffer.concat(chunks).toString());
  } finally {
    stream.destroy();
  }
}

function cannotAsk(path: string, why: string): Error {
  return unavailable(`pretix cannot be asked for ${path}: ${why}. Nothing was changed.`);
}

/** Reads all pages of a list. */
export async function askForAll<T>(pretix: Pretix, path: string): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const { results, next } = await askInTime(pretix, (asked) =>
      askPretix<PretixPage<T>>(asked, `${path}&page=${page}`),
    );
    all.push(...results);
    if (next === null) return all;
  }
}
