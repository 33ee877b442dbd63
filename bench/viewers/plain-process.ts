import { createServer, type ServerResponse } from 'node:http';
import { answerQuestions } from '../support/answer-questions.ts';
import { listen } from './listen.ts';

/** The usual way: Node's HTTP server, and `res.write` of the frame to each viewer. */

const responses = new Set<ServerResponse>();
let newest = Buffer.alloc(0);

const server = createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.write(newest);
  responses.add(response);
  response.on('close', () => responses.delete(response));
});

answerQuestions({
  listen: () => listen(server),
  send(event: string) {
    newest = Buffer.from(event);
    for (const response of responses) response.write(newest);
  },
});
