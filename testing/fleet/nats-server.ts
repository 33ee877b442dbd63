import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeOnce } from '../close-once.ts';
import type { TestHost } from './hosts.ts';
import { makeTestFolder } from '../folder.ts';
import { freePort } from '../server/free-port.ts';
import { type Network, startNetwork } from '../server/network.ts';
import { endingWithUs } from '../../tools/demo/ending-with-us.ts';
import { type Program, startProgram } from '../server/program.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { readRecipe } from '../gates/recipes.ts';
import { until } from '../until.ts';

/** A real nats-server on ports of its own, which stay the same when it is started again. */
export interface NatsServer {
  readonly url: string;
  readonly pid: number;
  readonly runs: boolean;
  /** The output since the start. */
  readonly log: string;
  /** Returns a page of its monitoring: `varz`, `connz` or `routez`. */
  monitor: (page: string) => Promise<Record<string, unknown>>;
  /** Who is connected, by the names that they gave. */
  clientNames(): Promise<readonly (string | undefined)[]>;
  /** Starts it again; resolves once it takes clients, and has found the others that run. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** As `systemctl stop` does: it sends its clients away one after the other before it ends. */
  retire(): Promise<void>;
  kill(): Promise<void>;
  /** It stands still (SIGSTOP), until `resume`. */
  pause(): void;
  resume(): void;
}

/** One server, or a cluster of several. */
export interface Nats {
  readonly servers: readonly [NatsServer, ...NatsServer[]];
  /** All addresses, as in NATS_URL. */
  readonly url: string;
  /** Trusted by nobody else; `undefined`: without TLS. */
  readonly caFile: string | undefined;
  /** That of each server, by that authority. */
  readonly certificate: Certificates | undefined;
  /** The settings of a process that signs in as this user. */
  settingsOf: (user: NatsUser) => Record<string, string>;
  /** Parts each server from all others, until `join`; of servers that are `isPartable`. */
  part(): void;
  /** Resolves once each knows the others again. */
  join(): Promise<void>;
}

/** Those of the operators' file. */
export const NATS_USERS = ['counter-1', 'counter-2', 'edge-1', 'edge-2'] as const;
export type NatsUser = (typeof NATS_USERS)[number];

interface NatsOptions {
  /** How many; default: one. */
  readonly servers?: number;
  /** Uses deploy/nats-server.conf: TLS, users and their rights. Default: everybody may do everything. */
  readonly asDeployed?: boolean;
  /** Their routes lead through a network that can be cut. */
  readonly isPartable?: boolean;
  /** The machine of each server; default: this one. */
  readonly hosts?: readonly TestHost[];
  /** Lines of the configuration that admit only users whom an operator's account has signed. */
  readonly operator?: string;
}

interface Certificates {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

interface Ports {
  readonly address: string;
  readonly client: number;
  readonly monitoring: number;
  readonly route: number;
  /** Where the others find its route. */
  readonly advertised: number;
}

/** Starts it; ended with the test, even where that is killed. Resolves once each takes clients and knows the others. */
export async function startNats({
  servers: size = 1,
  asDeployed = false,
  isPartable = false,
  hosts,
  operator = '',
}: NatsOptions = {}): Promise<Nats> {
  const program = process.env['NATS_SERVER_PATH'];
  if (!program) throw new Error('NATS_SERVER_PATH is not set: run the tests with `npm test`');
  const folder = makeTestFolder();
  const ports: Ports[] = [];
  const networks: Network[] = [];
  for (const { address } of hosts ?? [])
    ports.push({ address, client: 4222, monitoring: 8222, route: 6222, advertised: 6222 });
  while (ports.length < size) {
    const [client, monitoring, route] = [await freePort(), await freePort(), await freePort()];
    const network = isPartable ? await startNetwork(`nats://127.0.0.1:${route}`) : undefined;
    if (network) networks.push(network);
    ports.push({ address: '127.0.0.1', client, monitoring, route, advertised: network?.port ?? route });
  }
  const files = asDeployed ? makeCertificates(folder) : undefined;
  const scheme = files ? 'tls' : 'nats';
  const environment = Object.fromEntries(NATS_USERS.map((user) => [passwordSetting(user), passwordOf(user)]));
  const members: readonly Member[] = ports.map((own, index) => {
    const name = `nats-${index + 1}`;
    const config = join(folder, `${name}.conf`);
    const text = files ? documented(own, ports, files) : plain(own, ports, operator);
    writeFileSync(config, text);
    const env = { ...environment, NATS_SERVER_NAME: name };
    return makeServer([...(hosts?.[index]?.through ?? []), program, '-c', config], {
      scheme,
      ports: own,
      env,
      others: () => members,
    });
  });
  for (const { begin } of members) begin();
  await Promise.all(members.map(({ isReady }) => isReady()));
  const [first, ...others] = members.map(({ server }) => server);
  if (!first) throw new Error(`there is no NATS of ${size} servers`);
  const servers = [first, ...others] as const;
  const url = servers.map((server) => server.url).join();
  return {
    servers,
    url,
    caFile: files?.caFile,
    certificate: files,
    settingsOf: (user) => ({
      NATS_URL: url,
      ...(files
        ? { NATS_USER: user, NATS_PASSWORD: passwordOf(user), NATS_CA_FILE: files.caFile }
        : { NODE_NAME: user }),
    }),
    part() {
      if (networks.length === 0) throw new Error('its servers cannot be parted');
      for (const network of networks) network.cut();
    },
    async join() {
      for (const network of networks) network.restore();
      await Promise.all(members.map(({ isReady }) => isReady()));
    },
  };
}

interface Member {
  readonly server: NatsServer;
  readonly runs: () => boolean;
  readonly begin: () => void;
  readonly isReady: () => Promise<void>;
}

interface MemberOptions {
  readonly scheme: 'nats' | 'tls';
  readonly ports: Ports;
  readonly env: Readonly<Record<string, string>>;
  readonly others: () => readonly Member[];
}

function makeServer(command: readonly string[], { scheme, ports, env, others }: MemberOptions): Member {
  let running: Program | undefined;
  let isPaused = false;
  const current = (): Program => {
    if (!running) throw new Error(`${env['NATS_SERVER_NAME']} does not run`);
    return running;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await running?.end(signal);
    running = undefined;
    isPaused = false;
  };
  closeOnce(() => end('SIGKILL'));
  const runs = (): boolean => running !== undefined && !isPaused;
  const monitor: NatsServer['monitor'] = async (page) => {
    const answer = await fetch(`http://${ports.address}:${ports.monitoring}/${page}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const begin = (): void => {
    const [program = '', ...args] = [...endingWithUs(), ...command];
    running = startProgram(program, args, { env });
  };
  const isReady = (): Promise<void> =>
    until(async () => {
      const { child, stderr } = current();
      assert.equal(child.exitCode, null, stderr());
      assert.deepEqual(await monitor('healthz'), { status: 'ok' });
      const { routes = [] } = (await monitor('routez')) as { routes?: { remote_id: string }[] };
      const known = new Set(routes.map(({ remote_id }) => remote_id)).size;
      assert.equal(known, others().filter((other) => other.runs()).length - 1);
    });
  const server: NatsServer = {
    // Behind `tls://` the client holds a certificate to a name, never to an address.
    url: scheme === 'tls' ? `tls://localhost:${ports.client}` : `nats://${ports.address}:${ports.client}`,
    get pid() {
      return current().child.pid ?? 0;
    },
    get runs() {
      return runs();
    },
    get log() {
      return current().stderr();
    },
    monitor,
    async clientNames() {
      const { connections } = (await monitor('connz')) as { connections: { name?: string }[] };
      return connections.map(({ name }) => name);
    },
    start() {
      begin();
      return isReady();
    },
    stop: () => end('SIGINT'),
    retire: () => end('SIGUSR2'),
    kill: () => end('SIGKILL'),
    pause() {
      isPaused = current().child.kill('SIGSTOP');
    },
    resume() {
      isPaused = !current().child.kill('SIGCONT');
    },
  };
  return { server, runs, begin, isReady };
}

/** The operators' file, in which only addresses and paths are a test's own. */
function documented(
  { client, monitoring, route }: Ports,
  all: readonly Ports[],
  { caFile, certificateFile, keyFile }: Certificates,
): string {
  const routes = /"nats:\/\/nats-1\.example\.org:6222"[^\]]*/;
  const substitutes: [documented: string | RegExp, own: string][] = [
    ['0.0.0.0:4222', `127.0.0.1:${client}`],
    ['127.0.0.1:8222', `127.0.0.1:${monitoring}`],
    ['0.0.0.0:6222', `127.0.0.1:${route}`],
    ['/etc/nats/tls/fullchain.pem', certificateFile],
    ['/etc/nats/tls/privkey.pem', keyFile],
    ['/etc/nats/tls/ca.pem', caFile],
    [routes, all.map((other) => `"nats://localhost:${other.route}"`).join('\n    ')],
  ];
  let text = readFileSync(join(PROJECT_ROOT, 'deploy/nats-server.conf'), 'utf8');
  for (const [there, own] of substitutes) {
    assert.ok(typeof there === 'string' ? text.includes(there) : there.test(text), `it has no ${there}`);
    text = typeof there === 'string' ? text.replaceAll(there, own) : text.replace(there, own);
  }
  return text;
}

/** Makes certificates as operators do, except that all servers share those of one host. */
function makeCertificates(folder: string): Certificates {
  const hosts = 'nats-1.example.org nats-2.example.org nats-3.example.org';
  const recipe = readRecipe('nats-certificates', { [hosts]: 'localhost' }, 'docs/fleet.md');
  execFileSync('sh', ['-euc', recipe], { cwd: folder, stdio: 'ignore' });
  const own = join(folder, 'localhost');
  return {
    caFile: join(folder, 'ca.pem'),
    certificateFile: join(own, 'fullchain.pem'),
    keyFile: join(own, 'privkey.pem'),
  };
}

/** Open to all, unless an operator signs, with the limits of the operators' file. */
function plain(
  { address, client, monitoring, route, advertised }: Ports,
  all: readonly Ports[],
  operator: string,
): string {
  const routes = all.map((other) => `"nats://${other.address}:${other.advertised}"`).join(', ');
  const places = `listen: "${address}:${route}", advertise: "${address}:${advertised}"`;
  return `
    server_name: $NATS_SERVER_NAME
    listen: "${address}:${client}"
    http: "${address}:${monitoring}"
    lame_duck_duration: "30s"
    lame_duck_grace_period: "1s"
    write_deadline: "1s"
    ping_interval: "1s"
    max_pending: 4MB${operator}
    ${all.length > 1 ? `cluster { name: "test", ${places}, routes: [${routes}] }` : ''}`;
}

/** It begins with a letter, as NATS requires. */
function passwordOf(user: NatsUser): string {
  return `password-of-${user}`;
}

function passwordSetting(user: NatsUser): string {
  return `${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
}
