import { connect } from 'node:net';

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
