import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Durations } from '../../gates/http/limits.ts';
import { startListening } from '../../gates/http/listen.ts';
import { readHttpSettings } from '../../gates/http/settings.ts';
import { closeOnce } from '../close-once.ts';
import { createTestDatabase, insertTickets, type TestDatabase } from '../database/database.ts';
import { openForAll, openForEach } from '../open-for-tests.ts';
import type { GatesTool } from './gates-tool.ts';

/** Opens a listener beside the tool's database for each test. */
export function useGatesListener({ database }: Pick<GatesTool, 'database'>): GatesListener {
  const listener = openForEach(() => startGatesListener({ GATES_DATABASE_URL: database.gatesUrl }));
  afterEach(() => listener.stop());
  return listener;
}

/** Opens a database and a listener for the tests of a file, and silences the listener's log. */
export function shareGatesListener(
  durations?: Durations,
  env: () => Record<string, string> = () => ({}),
): {
  readonly database: TestDatabase;
  readonly listener: GatesListener;
} {
  beforeAll(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true));
  const database = openForAll(createTestDatabase);
  const listener = openForAll(() =>
    startGatesListener({ ...env(), GATES_DATABASE_URL: database.gatesUrl }, durations),
  );
  afterAll(async () => {
    await listener.stop();
    vi.restoreAllMocks();
  });
  return { database, listener };
}

/** Makes the database refuse updates of tickets whose ids are like the pattern, until the test ends. */
export async function shutGate({ admin }: TestDatabase, pattern: string, sqlState = 'P0001'): Promise<void> {
  await admin.unsafe(`
    create function shut() returns trigger language plpgsql as $$
      begin if new.id like '${pattern}' then raise 'the gate is shut' using errcode = '${sqlState}'; end if; return new; end $$;
    create trigger shut before update on tickets for each row execute function shut()`);
  closeOnce(() => admin.unsafe('drop function if exists shut cascade'));
}

/** Makes the database leave tickets whose ids are like the pattern as they are, without an error, until the test ends. */
export async function shutSilently(
  { admin }: TestDatabase,
  pattern: string,
  then = 'return null',
): Promise<void> {
  await admin.unsafe(`
    create function shut() returns trigger language plpgsql as $$
      begin if new.id like '${pattern}' then ${then}; end if; return new; end $$;
    create trigger shut before insert or update on tickets for each row execute function shut()`);
  closeOnce(() => admin.unsafe('drop function if exists shut cascade'));
}

/** Sells tickets of sector 4. */
export async function sellTickets({ gates }: TestDatabase, ids: readonly string[]): Promise<void> {
  await insertTickets(
    gates,
    ids.map((id) => ({ id, setor: '4' })),
  );
}

export const GATES_KEY = 'uma-chave-para-catracas-com-40-letras-00';

/** `listen` in this process, on a free port. */
export interface GatesListener {
  readonly url: string;
  /** Posts with the key, by default to DEFAULT_EVENT_ID. Text and bytes are sent as NDJSON, other bodies as JSON. */
  post(body: unknown, options?: PostOptions): Promise<Posted>;
  stop(): Promise<void>;
}

export interface PostOptions {
  readonly query?: string;
  readonly eventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly answer: Record<string, unknown>;
}

export async function startGatesListener(
  env: Record<string, string>,
  durations?: Durations,
): Promise<GatesListener> {
  const settings = readHttpSettings({ ...env, GATES_HTTP_KEY: GATES_KEY, GATES_HTTP_PORT: '0' });
  const listening = await startListening(settings, env, durations);
  return {
    url: listening.url,
    post: (body, options) => postTickets(listening.url, body, options),
    stop: closeOnce(() => listening.stop()),
  };
}

export async function postTickets(
  url: string,
  body: unknown,
  { query = '', eventId = DEFAULT_EVENT_ID, headers = {} }: PostOptions = {},
): Promise<Posted> {
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${url}/events/${eventId}/tickets${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${GATES_KEY}`,
      'content-type': isText ? 'application/x-ndjson' : 'application/json',
      ...headers,
    },
    body: isText ? (body as string) : JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, answer };
}
