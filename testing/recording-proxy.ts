import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between two real parts, and keeps every byte that passes. */
export interface RecordingProxy {
  readonly port: number;
  /** Both directions, as Latin-1: a byte is a character. */
  readonly asked: () => string;
  readonly answered: () => string;
  close(): void;
}

export async function startRecordingProxy(targetPort: number): Promise<RecordingProxy> {
  const sockets = new Set<Socket>();
  let asked = '';
  let answered = '';
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    near.on('data', (bytes) => (asked += bytes.toString('latin1')));
    far.on('data', (bytes) => (answered += bytes.toString('latin1')));
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked: () => asked,
    answered: () => answered,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
