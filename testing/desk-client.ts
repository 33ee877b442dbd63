import { DEFAULT_EVENT_ID } from '../domain/event.ts';

export const DESK_EVENT_PATH = `/fluxo/api/events/${DEFAULT_EVENT_ID}`;

/** A desk as its page is: it names its origin, and sends its cookie. */
export interface DeskClient {
  readonly cookie: string;
  get(path: string): Promise<Response>;
  /** `body` as JSON; a text as it is. */
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
