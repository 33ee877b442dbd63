import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../database/embedded/free-port.ts';
import { OperatorError } from '../../../domain/operator-error.ts';
import { Stops } from '../../../server/roles/stops.ts';
import { type DatabasePair, startDatabasePair } from './database-pair.ts';
import {
  NATS_USERS,
  natsConfig,
  type NatsPorts,
  type NatsUser,
  nginxConfig,
  passwordVariable,
} from './deployed-files.ts';
import type { MatchBegun } from './counter.ts';
import { keepRunning, type KeptProcess, type KeptProcessOptions } from './kept-process.ts';

/** The processes of `npm run demo:fleet`, without the spectators. */
export interface Fleet {
  readonly pair: DatabasePair;
  /** The members in the order in which counts pass them. */
  readonly members: readonly FleetMember[];
  readonly logFolder: string;
  /** Makes the clocks of the counters run as fast as the match. */
  matchBegan(begun: MatchBegun): void;
  stop(): Promise<void>;
}

interface FleetMember {
  readonly process: KeptProcess;
  /** The address of its health checks. */
  readonly url: string | undefined;
}

interface FleetOptions {
  readonly dataDir: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly counterSettings: Readonly<Record<string, string>>;
  readonly edgeSettings: Readonly<Record<string, string>>;
  readonly speed: string;
  /** Called while the databases run and nothing has read them. */
  readonly onDatabases: (pair: DatabasePair) => Promise<void>;
  readonly natsServerPath: string;
  readonly nginxPath: string;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

const NATS_SERVERS = 3;
const READY_LIMIT_MS = 60_000;
/** nginx has no unit of ours: this is the default of systemd. */
const NGINX_RESTART_MS = 100;
const SCRIPTS = {
  counter: fileURLToPath(new URL('counter.js', import.meta.url)),
  edge: fileURLToPath(new URL('../../../server/start.js', import.meta.url)),
};

/** @throws OperatorError when a part does not get ready; what was started is stopped. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { dataDir, signal, print } = options;
  const stops = new Stops();
  return stops.during(async () => {
    print('Starting PostgreSQL and its standby...');
    const pair = await startDatabasePair(dataDir, signal);
    stops.add(() => pair.stop());
    await options.onDatabases(pair);
    const logFolder = join(pair.folder, 'log');
    rmSync(logFolder, { recursive: true, force: true });
    mkdirSync(logFolder);
    const run = (
      name: string,
      command: readonly string[],
      env: Readonly<Record<string, string>>,
      others: KeptAs = {},
    ): KeptProcess =>
      keepRunning({ name, command, env, print, logFile: join(logFolder, `${name}.log`), ...others });

    print('Starting NATS, counters and edges...');
    const nats = await startNats(options, pair.folder, run);
    stops.add(() => stopAll(nats.processes));
    const counters = await startRole('counter', ['counter-1', 'counter-2'], run, (user) => ({
      ...options.counterSettings,
      SPEED: options.speed,
      DATABASE_URL: pair.observerUrl,
      RECORD_DATABASE_URL: pair.recordUrl,
      ...nats.settingsOf(user),
    }));
    stops.add(() => stopAll(counters));
    const secret = (): string => randomBytes(24).toString('hex');
    const shared = {
      ...options.edgeSettings,
      DASHBOARD_EMAIL: 'painel@triagem.local',
      DASHBOARD_KEY: secret(),
      SESSION_SECRET: secret(),
      // Each demo has its own state, since its databases are new.
      STATE_DIR: pair.folder,
    };
    const edges = await startRole('edge', ['edge-1', 'edge-2'], run, (user) => ({
      ...shared,
      ...nats.settingsOf(user),
    }));
    stops.add(() => stopAll(edges));
    const nginx = startNginx(
      options,
      pair.folder,
      run,
      edges.map(({ port }) => port),
    );
    stops.add(() => nginx.process.stop());
    for (const { url, process } of [...counters, ...edges])
      await untilReady(`${url}/readyz`, process, options);
    const members = [...nats.processes, ...counters, ...edges, nginx];
    const matchBegan = (begun: MatchBegun): void => {
      for (const { process } of counters) process.send(begun);
    };
    return { pair, members, logFolder, matchBegan, stop: () => stops.stop() };
  });
}

type KeptAs = Pick<KeptProcessOptions, 'hasChannel' | 'restartAfterMs'>;
type Run = (
  name: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  others?: KeptAs,
) => KeptProcess;
type Settings = Readonly<Record<string, string>>;

async function startNats(
  { natsServerPath }: FleetOptions,
  folder: string,
  run: Run,
): Promise<{ processes: readonly FleetMember[]; settingsOf: (user: NatsUser) => Settings }> {
  const ports: NatsPorts[] = [];
  while (ports.length < NATS_SERVERS) {
    ports.push({ client: await freePort(), monitoring: await freePort(), route: await freePort() });
  }
  // NATS needs passwords that begin with a letter.
  const passwords = new Map(NATS_USERS.map((user) => [user, `p${randomBytes(24).toString('hex')}`]));
  const variables = Object.fromEntries(
    [...passwords].map(([user, password]) => [passwordVariable(user), password]),
  );
  const processes = ports.map((own, index) => {
    const name = `nats-${index + 1}`;
    const config = join(folder, `${name}.conf`);
    writeFileSync(config, natsConfig(own, ports));
    const process = run(name, [natsServerPath, '-c', config], { ...variables, NATS_SERVER_NAME: name });
    return { process, url: `http://127.0.0.1:${own.monitoring}` };
  });
  const url = ports.map(({ client }) => `nats://127.0.0.1:${client}`).join();
  return {
    processes,
    settingsOf: (user) => ({ NATS_URL: url, NATS_USER: user, NATS_PASSWORD: passwords.get(user) ?? '' }),
  };
}

async function startRole(
  role: 'counter' | 'edge',
  users: readonly NatsUser[],
  run: Run,
  settingsOf: (user: NatsUser) => Settings,
): Promise<(FleetMember & { readonly url: string; readonly port: number })[]> {
  const members = [];
  for (const user of users) {
    const port = await freePort();
    const env = { ...settingsOf(user), ROLE: role, PORT: String(port) };
    const command = [globalThis.process.execPath, '--max-semi-space-size=4', SCRIPTS[role]];
    const process = run(user, command, env, { hasChannel: role === 'counter' });
    members.push({ process, port, url: `http://127.0.0.1:${port}` });
  }
  return members;
}

function startNginx(
  { nginxPath, host, port }: FleetOptions,
  folder: string,
  run: Run,
  edgePorts: readonly number[],
): FleetMember {
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, nginxConfig(folder, `${host}:${port}`, edgePorts));
  const command = [nginxPath, '-e', 'stderr', '-p', folder, '-c', config];
  const process = run('nginx', command, {}, { restartAfterMs: NGINX_RESTART_MS });
  return { process, url: undefined };
}

async function untilReady(url: string, { name }: KeptProcess, { signal }: FleetOptions): Promise<void> {
  const limitMs = performance.now() + READY_LIMIT_MS;
  for (;;) {
    signal.throwIfAborted();
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (performance.now() > limitMs) {
      const why = (await answer?.text()) ?? 'it does not answer';
      throw new OperatorError(`${name} is not ready after ${READY_LIMIT_MS / 1_000} s: ${why}`);
    }
    await pause(100);
  }
}

async function stopAll(members: readonly FleetMember[]): Promise<void> {
  await Promise.all(members.map(({ process }) => process.stop()));
}
