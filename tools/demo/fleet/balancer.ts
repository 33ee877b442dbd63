import { connect, createServer, type Socket } from 'node:net';

/** Where there is no nginx: passes connections on to those that take them, in turn. Returns how it ends. */
export async function startBalancer(
  listen: { readonly host: string; readonly port: number },
  ports: readonly number[],
): Promise<() => void> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    open.add(client);
    client.on('close', () => open.delete(client)).on('error', () => {});
    turn += 1;
    const order = ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0);
    pass(client, order);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(listen, resolve);
  });
  return () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
}

/** To the first that takes it. */
function pass(client: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined) {
    client.destroy();
    return;
  }
  let isTaken = false;
  const edge = connect(port, '127.0.0.1', () => {
    isTaken = true;
    client.pipe(edge).pipe(client);
  });
  edge.on('error', () => (isTaken ? client.destroy() : pass(client, others)));
  edge.on('close', () => isTaken && client.destroy());
  client.on('close', () => edge.destroy());
}
