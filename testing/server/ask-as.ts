import { request } from 'node:http';
import { closeOnce } from '../close-once.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** A request as a browser sends it. */
  readonly cookie: string;
}

export interface Asking {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A stream is left with the test, and not after its head. */
  readonly staysOpen?: boolean;
}

/** Asks the server at `url` under the name `host`, which fetch cannot. */
export function askAs(url: string, host: string, path: string, asking: Asking = {}): Promise<Answer> {
  const { method = 'GET', body } = asking;
  const json = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    host,
    ...(json === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
    ...asking.headers,
  };
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, url), { method, headers, agent: false }, (message) => {
      const head = {
        status: message.statusCode ?? 0,
        headers: Object.fromEntries(
          Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
        ),
        cookie: message.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
      };
      let text = '';
      const finish = (): void => resolve({ ...head, text });
      if (head.headers['content-type']?.startsWith('text/event-stream')) {
        finish();
        message.resume().on('error', () => {});
        if (asking.staysOpen) closeOnce(() => call.destroy());
        else call.destroy();
        return;
      }
      message.setEncoding('utf8').on('data', (part: string) => (text += part));
      message.on('end', finish).on('error', reject);
    });
    call.on('error', reject);
    call.end(json);
  });
}
