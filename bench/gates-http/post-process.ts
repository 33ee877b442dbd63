import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { serveRpc } from '../../testing/server/rpc.ts';
import { ticketId } from '../support/tickets.ts';
import type { PostReport, PostRun } from './listener.ts';

/**
 * The process of a load generator: turnstiles that post over connections which stay open. Bytes on sockets: a client of
 * HTTP would cost as much as what is measured.
 */

const [url = '', key = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);

serveRpc({
  async post(run: PostRun): Promise<PostReport> {
    const sockets = await Promise.all(Array.from({ length: run.connections }, openSocket));
    const latenciesMs: number[] = [];
    const startedAtMs = performance.now();
    let next = run.firstTicket;
    await Promise.all(
      sockets.map(async (socket) => {
        while (next <= run.lastTicket && performance.now() - startedAtMs < run.durationMs) {
          const first = next;
          next = Math.min(next + run.ticketsPerRequest, run.lastTicket + 1);
          const request = requestOf(first, next - 1);
          const sentAtMs = performance.now();
          socket.write(request);
          await readAnswer(socket);
          latenciesMs.push(performance.now() - sentAtMs);
        }
      }),
    );
    const elapsedMs = performance.now() - startedAtMs;
    for (const socket of sockets) socket.destroy();
    return { tickets: next - run.firstTicket, latenciesMs, elapsedMs };
  },
});

async function openSocket(): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

function requestOf(first: number, last: number): string {
  const at = new Date().toISOString();
  let body = '';
  for (let ticket = first; ticket <= last; ticket += 1) {
    body += `{"id":"${ticketId(ticket)}","entrou":true,"at":"${at}"}\n`;
  }
  return (
    `POST /events/${DEFAULT_EVENT_ID}/tickets HTTP/1.1\r\nhost: gates\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/x-ndjson\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

/** Resolves once the whole answer is there. @throws Error unless it says that all was done. */
function readAnswer(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (error?: Error): void => {
      socket.off('data', read);
      socket.off('close', close);
      if (error) reject(error);
      else resolve();
    };
    const read = (bytes: Buffer): void => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
      if (end === -1 || length === undefined || text.length < end + 4 + Number(length)) return;
      const isDone =
        text.startsWith('HTTP/1.1 200') && text.includes('"unchanged":0,"older":0,"kept":0,"refused":0');
      finish(isDone ? undefined : new Error(`answered with ${text.slice(0, 1_000)}`));
    };
    const close = (): void => finish(new Error('the connection was closed'));
    socket.on('data', read);
    socket.once('close', close);
  });
}
