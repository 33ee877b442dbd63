import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { DeskState } from '../../desk/model/desk-state.ts';
import type { Minute } from '../../desk/model/series/minute.ts';
import { closeOnce } from '../close-once.ts';
import { until } from '../until.ts';

const COMMAND_RETRY_MS = 250;

export const DESK_EVENT_PATH = `/fluxo/api/events/${DEFAULT_EVENT_ID}`;

export const DESK_READS = [
  '/fluxo/api/session',
  `${DESK_EVENT_PATH}/history?from=0&to=1`,
  `${DESK_EVENT_PATH}/usual`,
  `${DESK_EVENT_PATH}/state?at=1`,
  `${DESK_EVENT_PATH}/log`,
  `${DESK_EVENT_PATH}/live`,
  `${DESK_EVENT_PATH}/record`,
  `${DESK_EVENT_PATH}/record/minutes.csv`,
  `${DESK_EVENT_PATH}/record/log.csv`,
  `${DESK_EVENT_PATH}/record/minutes-excel.csv`,
  `${DESK_EVENT_PATH}/record/log-excel.csv`,
];
export const DESK_WRITES: readonly (readonly [path: string, body: unknown])[] = [
  ['/fluxo/api/operator', { name: 'Eve' }],
  ['/fluxo/api/invitations', undefined],
  [`${DESK_EVENT_PATH}/commands`, { id: crypto.randomUUID(), kind: 'evacuation' }],
];

/** A client that sends origin and cookie as the page does. */
export interface DeskClient {
  readonly cookie: string;
  get(path: string): Promise<Response>;
  /** Sends `body` as JSON, or a text as it is. */
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  command(command: Readonly<Record<string, unknown>>): Promise<Response>;
}

/** Signs in, by `{ name, key }` or `{ name, invitation }`. */
export async function openDesk(url: string, body: Readonly<Record<string, unknown>>): Promise<DeskClient> {
  const response = await postDesk(url, '/fluxo/api/sign-in', body);
  if (response.status !== 204) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
  return deskClient(url, cookieOf(response));
}

export function deskClient(url: string, cookie: string): DeskClient {
  const post: DeskClient['post'] = (path, body, headers) => postDesk(url, path, body, { cookie, ...headers });
  return {
    cookie,
    get: (path) => fetch(`${url}${path}`, { headers: { cookie } }),
    post,
    command: (command) =>
      post(`${DESK_EVENT_PATH}/commands`, { id: crypto.randomUUID(), kind: 'occurrence', ...command }),
  };
}

/** Sends a command until it is accepted, within a session's limit. */
export function commandUntilAccepted(
  desk: DeskClient,
  command: Readonly<Record<string, unknown>>,
): Promise<void> {
  return until(async () => {
    const { status } = await desk.command(command);
    if (status === 200) return;
    await pause(COMMAND_RETRY_MS);
    throw new Error(`the command was answered with ${status}`);
  });
}

export function postDesk(
  url: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const json = body === undefined ? undefined : { 'content-type': 'application/json' };
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { origin: url, ...json, ...headers },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
  });
}

/** The name and value of the cookie that was set. */
export function cookieOf(response: Response): string {
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** A desk's open stream with its newest state and all its minutes. It ends with the test. */
export interface DeskStream {
  readonly state: DeskState | undefined;
  readonly minutes: readonly Minute[];
  leave(): void;
}

export async function openDeskStream(
  url: string,
  cookie: string,
  eventPath = DESK_EVENT_PATH,
): Promise<DeskStream> {
  const leaving = new AbortController();
  const response = await fetch(`${url}${eventPath}/live`, {
    headers: { cookie },
    signal: leaving.signal,
  });
  if (!response.ok || !response.body) throw new Error(`stream: ${response.status}`);
  let state: DeskState | undefined;
  const minutes: Minute[] = [];
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'desk') state = JSON.parse(data) as DeskState;
      if (event === 'minute') minutes.push(JSON.parse(data) as Minute);
    },
  });
  const leave = closeOnce(() => leaving.abort());
  const read = async (text: ReadableStream<string>): Promise<void> => {
    for await (const chunk of text) parser.feed(chunk);
  };
  // It ends with the server, or when it is left.
  read(response.body.pipeThrough(new TextDecoderStream())).catch(() => {});
  return {
    get state() {
      return state;
    },
    minutes,
    leave,
  };
}
