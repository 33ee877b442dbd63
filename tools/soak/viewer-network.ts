import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What lies between viewers and the server: it forgets connections, kills idle ones, or is slow. */
export interface ViewerNetwork {
  readonly url: string;
  /** How many connections have been opened through it. */
  readonly opened: number;
  /** Not one packet passes any more, and nothing is closed: neither side is told. */
  lose(): void;
  /** Nothing passes towards the viewers until `restore`; then all that was held comes, the oldest first. */
  hold(): void;
  /** Connections are closed, and new ones refused as soon as they are made. */
  cut(): void;
  /**
   * New connections pass again. Those that were lost stay lost, as behind a router that has forgotten them: the viewer is
   * not told, the server's TCP gives them up (here after seconds, elsewhere after minutes).
   */
  restore(): void;
  close(): void;
}

export interface NetworkOptions {
  /** A connection on which nothing passes for so long is closed. */
  readonly idleLimitMs?: number;
  /** Towards the viewer; what does not pass waits in the buffers of both sides. */
  readonly bytesPerSecond?: number;
}

const THROTTLE_INTERVAL_MS = 100;
const GIVEN_UP_AFTER_MS = 10_000;

export async function startViewerNetwork(
  serverUrl: string,
  options: NetworkOptions = {},
): Promise<ViewerNetwork> {
  const targetPort = Number(new URL(serverUrl).port);
  const links = new Set<Link>();
  let state: 'up' | 'held' | 'lost' | 'cut' = 'up';
  let opened = 0;
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    opened += 1;
    const link = openLink(near, targetPort, options);
    links.add(link);
    near.on('close', () => links.delete(link));
    if (state === 'lost') link.lose();
    if (state === 'held') link.hold();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get opened() {
      return opened;
    },
    lose() {
      state = 'lost';
      for (const link of links) link.lose();
    },
    hold() {
      state = 'held';
      for (const link of links) link.hold();
    },
    cut() {
      state = 'cut';
      for (const link of links) link.cut();
    },
    restore() {
      if (state === 'held') for (const link of links) link.release();
      if (state === 'lost') {
        const lost = [...links];
        setTimeout(() => lost.forEach((link) => link.giveUp()), GIVEN_UP_AFTER_MS).unref();
      }
      state = 'up';
    },
    close() {
      for (const link of links) link.cut();
      server.close();
    },
  };
}

interface Link {
  lose(): void;
  hold(): void;
  release(): void;
  /** Of a link that was lost: the server's side ends. */
  giveUp(): void;
  cut(): void;
}

function openLink(near: Socket, targetPort: number, options: NetworkOptions): Link {
  const { idleLimitMs, bytesPerSecond } = options;
  const far = connect(targetPort, '127.0.0.1');
  let isLost = false;
  const cut = (): void => {
    near.resetAndDestroy();
    far.resetAndDestroy();
  };
  near.pipe(far);
  const throttled = bytesPerSecond === undefined ? undefined : throttle(far, near, bytesPerSecond);
  if (!throttled) far.pipe(near);
  for (const socket of [near, far]) {
    if (idleLimitMs !== undefined) socket.setTimeout(idleLimitMs, cut);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      throttled?.hold();
      if (!isLost) near.destroy();
      far.destroy();
    });
  }
  return {
    lose() {
      isLost = true;
      throttled?.hold();
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    },
    hold: () => void (throttled ? throttled.hold() : far.pause()),
    release: () => void (throttled ? throttled.release() : far.resume()),
    giveUp: () => void far.destroy(),
    cut,
  };
}

/** Reads no faster than the link sends: what waits, waits in the operating system's buffers. */
function throttle(from: Socket, to: Socket, bytesPerSecond: number): { hold(): void; release(): void } {
  const share = Math.ceil((bytesPerSecond * THROTTLE_INTERVAL_MS) / 1_000);
  let timer: NodeJS.Timeout | undefined;
  const pass = (): void => {
    const bytes = (from.read(share) ?? from.read()) as Buffer | null;
    if (bytes) to.write(bytes);
  };
  from.pause();
  from.on('readable', () => {});
  const link = {
    hold: () => clearInterval(timer),
    release: () => void (timer = setInterval(pass, THROTTLE_INTERVAL_MS)),
  };
  link.release();
  return link;
}
