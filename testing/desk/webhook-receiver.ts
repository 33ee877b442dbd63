import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { closeOnce } from '../close-once.ts';
import { listenLocally } from '../server/port.ts';

interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** A receiver answers with a status and headers, never, or with a body without end. */
type ReceiverAnswer = number | 'never' | 'no-end' | { readonly status: number; readonly headers: object };

/** An HTTP server that takes messages, as a chat or a pager does. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedMessage[];
  /** How many answers are begun, not ended, and still listened to. */
  readonly answering: number;
  /** Sets the answer for the next messages. */
  answer: (message: ReceivedMessage) => ReceiverAnswer;
  /** Stops listening; `reopen` listens on the same port again. */
  close(): Promise<void>;
  reopen(): Promise<void>;
}

/** `tls` is certificate and key in PEM; the default is HTTP. */
export async function startWebhookReceiver(tls?: {
  readonly cert: string;
  readonly key: string;
}): Promise<WebhookReceiver> {
  let answering = 0;
  const listener: RequestListener = async (request, response) => {
    const { url: path = '', headers } = request;
    const message = { path, headers, body: await text(request), atMs: performance.now() };
    receiver.received.push(message);
    const answer = receiver.answer(message);
    if (answer === 'never') return;
    if (answer === 'no-end') {
      answering += 1;
      response.once('close', () => (answering -= 1));
      response.writeHead(200).write('an answer that goes on');
      return;
    }
    const { status, headers: own } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    response.writeHead(status, { ...own }).end('an answer that nobody reads');
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const port = await listenLocally(server);
  const receiver: WebhookReceiver = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    received: [],
    get answering() {
      return answering;
    },
    answer: () => 204,
    close,
    reopen: async () => void (await listenLocally(server, port)),
  };
  closeOnce(close);
  return receiver;
}
