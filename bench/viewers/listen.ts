import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As long as Linux lets it be: hundreds of viewers connect at the same time. */
const BACKLOG = 4_096;

/** Returns the port. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
}
