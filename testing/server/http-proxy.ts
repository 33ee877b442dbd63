import { request as call, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { closeOnce } from '../close-once.ts';
import { listenLocally } from './port.ts';

/** An HTTP proxy before the server, whose behaviour may change while it runs. */
export interface HttpProxy {
  readonly url: string;
  /** Where requests go from now on, or what they are answered with instead. */
  route: (path: string) => Destination;
  /** Cuts open connections; new requests are routed again. */
  cutOpen(): void;
  close(): void;
}

/** The address of a server, or a status with an error page, as a proxy before a server that is not there answers. */
type Destination = string | number;

/** `buffersAnswers`: it passes an answer on once it has the whole of it. */
export async function startHttpProxy(
  route: HttpProxy['route'],
  { buffersAnswers = false } = {},
): Promise<HttpProxy> {
  const server = createServer((request, response) => {
    const destination = proxy.route(request.url ?? '');
    if (typeof destination === 'number') {
      response.writeHead(destination, { 'content-type': 'text/html' });
      response.end(`<h1>${destination}</h1>`);
      return;
    }
    pass(request, response, destination, buffersAnswers);
  });
  const proxy: HttpProxy = {
    url: '',
    route,
    cutOpen: () => server.closeAllConnections(),
    close: closeOnce(() => {
      server.closeAllConnections();
      server.close();
    }),
  };
  return Object.assign(proxy, { url: `http://127.0.0.1:${await listenLocally(server)}` });
}

function pass(request: IncomingMessage, response: ServerResponse, target: string, buffers: boolean): void {
  const fail = (): void => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  };
  const { method, headers, url } = request;
  const asked = call(new URL(url ?? '/', target), { method, headers, agent: false }, (answer) => {
    answer.on('error', fail);
    const status = answer.statusCode ?? 502;
    if (buffers) {
      buffer(answer).then((body) => response.writeHead(status, answer.headers).end(body), fail);
    } else {
      response.writeHead(status, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    }
  });
  asked.on('error', fail);
  request.pipe(asked);
  response.on('close', () => asked.destroy());
}
