import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { answerQuestions } from '../support/answer-questions.ts';
import { listen } from './listen.ts';

/** The least there is: the same bytes, chunked once, written to each socket, and nothing beside it. */

const sockets = new Set<Socket>();
let newest = Buffer.alloc(0);

const server = createServer((_request, response) => {
  const { socket } = response;
  if (!socket) return;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.flushHeaders();
  socket.write(newest);
  sockets.add(socket);
  response.on('close', () => sockets.delete(socket));
});

answerQuestions({
  listen: () => listen(server),
  send(event: string) {
    newest = Buffer.from(`${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
    for (const socket of sockets) socket.write(newest);
  },
});
