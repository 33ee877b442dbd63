import { type AddressInfo, connect, type Server } from 'node:net';

/** Lets a server listen on 127.0.0.1; returns the port, a free one by default. */
export async function listenLocally(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Rejects unless somebody listens on this port of 127.0.0.1. */
export function opensPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
