import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeOnce } from './close-once.ts';
import { listenLocally } from './port.ts';

interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** How a receiver answers: a status, with headers of its own; or never. */
type ReceiverAnswer = number | 'never' | { readonly status: number; readonly headers: object };

/** An HTTP server that takes messages, as a chat or a pager does. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedMessage[];
  /** For the messages from now on. */
  answer: (message: ReceivedMessage) => ReceiverAnswer;
  /** Nobody listens any more; `reopen` listens on the same port. */
  close(): Promise<void>;
  reopen(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const message = { path, headers, body: await text(request), atMs: performance.now() };
    receiver.received.push(message);
    const answer = receiver.answer(message);
    if (answer === 'never') return;
    const { status, headers: own } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    response.writeHead(status, { ...own }).end('an answer that nobody reads');
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const port = await listenLocally(server);
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    answer: () => 204,
    close,
    reopen: async () => void (await listenLocally(server, port)),
  };
  closeOnce(close);
  return receiver;
}
