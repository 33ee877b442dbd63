import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type Config, ConfigError } from './config.ts';
import { Board } from './counting/board.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './database/embedded/embedded-database.ts';
import { InProcessFanOut } from './fan-out/in-process.ts';
import { buildApp } from './http/app.ts';
import { loadPage } from './http/page.ts';
import { OBSERVING_LIMITS, type ObservingLimits } from './observing/limits.ts';
import { PostgresFeed } from './observing/postgres-feed.ts';

/** A running server. */
export interface Triagem {
  readonly url: string;
  /** The embedded PostgreSQL, where DATABASE_URL names no other. */
  readonly database: EmbeddedDatabase | undefined;
  /** Rejects with an ObservingFault when the tickets can never be observed as things are. */
  readonly observing: Promise<void>;
  /** Ends the streams, then the observation, then the embedded database. */
  stop(): Promise<void>;
}

export interface Surroundings {
  /** The folder of the built screen. */
  readonly webRoot?: string;
  readonly limits?: ObservingLimits;
}

/** Beside the compiled server, where the build puts it. */
const WEB_ROOT = fileURLToPath(new URL('../web/', import.meta.url));

/** Wires the parts together, from the database to the socket. What it started, it stops when a part cannot start. */
export async function startTriagem(config: Config, log: Logger, around: Surroundings = {}): Promise<Triagem> {
  const webRoot = around.webRoot ?? WEB_ROOT;
  const started: (() => Promise<unknown> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (let last = started.pop(); last; last = started.pop()) await last();
  };
  try {
    const { eventId, title, demo } = config;
    const page = loadPage(webRoot, { title, eventId, demonstration: demo ? 'demonstração' : '' });

    const database = await startDatabase(config, log);
    if (database) started.push(() => database.stop());
    const url = config.database.kind === 'external' ? config.database.url : database?.observerUrl;
    const key = config.dashboardKey ?? database?.dashboardKey;
    const sessionSecret = config.sessionSecret ?? database?.sessionSecret;
    if (!url || !key || !sessionSecret) throw new Error('unreachable: readConfig asks for these');

    const fanOut = new InProcessFanOut();
    const board = new Board(eventId, fanOut);
    const feed = new PostgresFeed({ url, eventId, log, limits: around.limits ?? OBSERVING_LIMITS });
    started.push(() => feed.stop());

    const app = await buildApp({
      eventId,
      account: { email: config.dashboardEmail, key },
      sessionSecret,
      trustProxy: config.trustProxy,
      page,
      webRoot,
      fanOut,
      counts: () => board.counts,
      trouble: () => feed.trouble,
      log,
    });
    started.push(
      () => app.close(),
      () => fanOut.close(),
    );
    const observing = feed.run(board);
    observing.catch(() => {});
    await listen(app, config);
    return { url: addressOf(app.server.address(), config.host), database, observing, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDatabase({ database }: Config, log: Logger): Promise<EmbeddedDatabase | undefined> {
  if (database.kind === 'external') return undefined;
  const { dataDir, subfolder, port } = database;
  return startEmbeddedDatabase({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(subfolder === undefined ? {} : { subfolder }),
    port,
    log: (line) => log.info(line),
  });
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ port, host, listenTextResolver: () => 'listening' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new ConfigError([`PORT ${port} is taken: stop who uses it, or set another`]);
    if (code === 'EADDRNOTAVAIL') throw new ConfigError([`HOST ${host} is no address of this machine`]);
    if (code === 'EACCES') throw new ConfigError([`PORT ${port} needs privileges: set one above 1023`]);
    throw error;
  }
}

function addressOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' ? address?.port : undefined;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
