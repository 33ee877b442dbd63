import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** An edge is asked how it is so often, and may take so long to answer. */
const CHECK_EVERY_MS = 250;
const ANSWER_LIMIT_MS = 750;

interface Edge {
  readonly port: number;
  readonly open: Set<Socket>;
  isThere: boolean;
}

/**
 * Where there is no nginx: passes connections on to the edges that answer, in turn, and cuts those to one that answers no
 * more, as it may stand still. Returns how it ends.
 */
export async function startBalancer(
  listen: { readonly host: string; readonly port: number },
  ports: readonly number[],
): Promise<() => void> {
  const edges = ports.map((port): Edge => ({ port, open: new Set(), isThere: true }));
  const stopping = new AbortController();
  let turn = 0;
  const server = createServer((client) => {
    client.on('error', () => {});
    turn += 1;
    const order = edges.map((edge, index) => edges[(turn + index) % edges.length] ?? edge);
    pass(
      client,
      order.filter(({ isThere }) => isThere),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(listen, resolve);
  });
  for (const edge of edges) void watch(edge, stopping.signal);
  return () => {
    stopping.abort();
    server.close();
    for (const edge of edges) cut(edge);
  };
}

async function watch(edge: Edge, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const answer = await fetch(`http://127.0.0.1:${edge.port}/healthz`, { signal }).catch(() => undefined);
    edge.isThere = answer?.ok === true;
    if (!edge.isThere) cut(edge);
    await pause(CHECK_EVERY_MS, undefined, { signal: stopped }).catch(() => {});
  }
}

function cut({ open }: Edge): void {
  for (const socket of open) socket.destroy();
}

/** To the first that takes it. */
function pass(client: Socket, [edge, ...others]: readonly Edge[]): void {
  if (edge === undefined) {
    client.destroy();
    return;
  }
  let isTaken = false;
  const socket = connect(edge.port, '127.0.0.1', () => {
    isTaken = true;
    edge.open.add(client);
    client.pipe(socket).pipe(client);
  });
  socket.on('error', () => (isTaken ? client.destroy() : pass(client, others)));
  socket.on('close', () => isTaken && client.destroy());
  client.on('close', () => {
    edge.open.delete(client);
    socket.destroy();
  });
}
