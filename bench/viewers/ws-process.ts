import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { answerQuestions } from '../support/answer-questions.ts';
import { listen } from './listen.ts';

/** WebSockets without compression: the same text, as one message to each viewer. */

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
const TEXT = { binary: false };
let newest = Buffer.alloc(0);

sockets.on('connection', (socket) => {
  // A viewer that is gone leaves `clients` by itself.
  socket.on('error', () => {});
  socket.send(newest, TEXT);
});

answerQuestions({
  listen: () => listen(server),
  send(event: string) {
    newest = Buffer.from(event);
    for (const socket of sockets.clients) socket.send(newest, TEXT);
  },
});
