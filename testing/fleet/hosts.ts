import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processIdentity } from '../../database/embedded/process-identity.ts';
import { closeOnce } from '../close-once.ts';
import { makeTestFolder } from '../folder.ts';
import { endingWithUs } from '../../tools/demo/ending-with-us.ts';
import { signalAll } from '../server/signal.ts';
import { startSlowLink } from './slow-link.ts';

/** A machine of a test: a network namespace with one link to the bridge on which the test is a host, too. */
export interface TestHost {
  readonly name: string;
  readonly address: string;
  /** The beginning of a command that enters it. */
  readonly enter: readonly string[];
  /** That of a program which goes by the host's clock, and ends with the test. */
  readonly through: readonly string[];
  /** Sets the clock of its programs so many seconds ahead of this machine's. They notice it within a second. */
  setClock(aheadS: number): void;
}

/** Undoes what was done to links. */
export type Heal = () => Promise<unknown>;

/** Links between hosts. What is lost between two is lost silently, and two losses of one link last as long as either. */
export interface Hosts<Name extends string> {
  readonly of: Readonly<Record<Name, TestHost>>;
  /** An address that one host at a time has, the first one to begin with. */
  readonly movingAddress: string;
  /** Nothing that `from` sends reaches `to`. */
  loseOneWay(from: readonly Name[], to: readonly Name[]): Promise<Heal>;
  /** Neither reaches the other. */
  part(one: readonly Name[], other: readonly Name[]): Promise<Heal>;
  /** Parts these hosts from all others but the test. */
  isolate(these: readonly Name[]): Promise<Heal>;
  /** Each way of their links carries so much, as `tc` writes it. */
  limit(these: readonly Name[], rate: string): Promise<Heal>;
  /** What passes between these and all others takes 200 ± 100 ms each way, and one frame of twenty is lost. */
  slowDown(these: readonly Name[]): Promise<Heal>;
  moveAddress(to: Name): Promise<void>;
}

const NAMESPACES = '/run/netns';
const PREFIX = 'triagem-';
/** A frame for it reaches nobody. */
const NOBODY = '02:54:00:00:00:ff';
/** Of 198.18.0.0/15, which is for tests of networks (RFC 2544): each process has 32 addresses. */
const NETWORKS = 4_096;
const MOVING = 30;

/** Why there can be no hosts here; `undefined`: there can. */
function hostsRefusal(): string | undefined {
  if (process.platform !== 'linux') return 'hosts in network namespaces take Linux';
  return process.getuid?.() === 0
    ? undefined
    : 'hosts in network namespaces take root: run this test as root';
}

/** Makes them; they end with the test, and those of a test that was killed with the next one. @throws Error where it cannot */
export async function openHosts<Name extends string>(names: readonly Name[]): Promise<Hosts<Name>> {
  const refusal = hostsRefusal();
  if (refusal !== undefined) throw new Error(refusal);
  await removeLeftovers();
  const { pid } = process;
  const bridge = `tb${pid}`;
  const slowBridge = `ts${pid}`;
  const first = 2 ** 5 * (pid % NETWORKS);
  const addressOf = (n: number): string =>
    `198.${18 + (first >> 16)}.${(first >> 8) & 255}.${(first & 255) + n}`;
  const macOf = (n: number): string => `02:54:00:00:00:${n.toString(16).padStart(2, '0')}`;
  const all = names.map((name, index) => {
    const n = index + 2;
    const namespace = `${PREFIX}${pid}-${name}`;
    return { name, n, namespace, link: `tl${pid}-${n}`, address: addressOf(n) };
  });
  const ip = openIp();
  const byName = new Map(all.map((host) => [host.name, host]));
  const find = (name: Name): (typeof all)[number] => {
    const host = byName.get(name);
    if (!host) throw new Error(`there is no host ${name}`);
    return host;
  };
  closeOnce(() =>
    removeAll(
      [bridge, slowBridge],
      all.map(({ namespace }) => namespace),
    ),
  );
  await ip(
    `link add ${bridge} address ${macOf(1)} type bridge`,
    `link add ${slowBridge} type bridge`,
    `address add ${addressOf(1)}/27 dev ${bridge}`,
    ...all.flatMap(({ n, namespace, link, address }) => [
      `netns add ${namespace}`,
      `link add ${link} type veth peer name eth0 netns ${namespace} address ${macOf(n)}`,
      `link set ${link} master ${bridge} up`,
      // Known once and for all: a loss is another address of the link, and nobody asks who has it.
      `neighbour add ${address} lladdr ${macOf(n)} dev ${bridge} nud permanent`,
    ]),
    `neighbour add ${addressOf(MOVING)} lladdr ${macOf(2)} dev ${bridge} nud permanent`,
    `link set ${bridge} up`,
    `link set ${slowBridge} up`,
  );
  const inHost = new Map<string, Ip>();
  const ipIn = (namespace: string, ...commands: readonly string[]): Promise<void> => {
    const own = inHost.get(namespace) ?? openIp(namespace);
    inHost.set(namespace, own);
    return own(...commands);
  };
  const prepared = all.map(({ n, namespace, address }) => {
    const others = all.filter((other) => other.n !== n);
    return ipIn(
      namespace,
      'link set lo up',
      'link set eth0 up',
      `address add ${address}/27 dev eth0`,
      ...(n === 2 ? [`address add ${addressOf(MOVING)}/32 dev eth0`] : []),
      ...[{ n: 1, address: addressOf(1) }, ...others].map(
        (other) => `neighbour add ${other.address} lladdr ${macOf(other.n)} dev eth0 nud permanent`,
      ),
    );
  });
  await Promise.all(prepared);

  /** How many losses there are of each way, by both names. */
  const lost = new Map<string, number>();
  const lose = async (from: readonly Name[], to: readonly Name[], by: 1 | -1): Promise<void> => {
    const changing = from.map(find).map(({ name, namespace }) => {
      const changes = to.map(find).map((other) => {
        const way = `${name} ${other.name}`;
        lost.set(way, (lost.get(way) ?? 0) + by);
        const mac = lost.get(way) === 0 ? macOf(other.n) : NOBODY;
        return `neighbour replace ${other.address} lladdr ${mac} dev eth0 nud permanent`;
      });
      return ipIn(namespace, ...changes);
    });
    await Promise.all(changing);
  };
  const loseOneWay: Hosts<Name>['loseOneWay'] = async (from, to) => {
    await lose(from, to, 1);
    return () => lose(from, to, -1);
  };
  const part: Hosts<Name>['part'] = async (one, other) => {
    const heals = await Promise.all([loseOneWay(one, other), loseOneWay(other, one)]);
    return () => Promise.all(heals.map((heal) => heal()));
  };
  let slowLink: true | undefined;
  let addressAt = all[0];
  const of = Object.fromEntries(
    all.map(({ name, namespace, address }) => [name, hostIn(name, namespace, address)]),
  ) as Record<Name, TestHost>;
  return {
    of,
    movingAddress: addressOf(MOVING),
    loseOneWay,
    part,
    isolate: (these) =>
      part(
        these,
        names.filter((name) => !these.includes(name)),
      ),
    async limit(these, rate) {
      const shape = (verb: string, ...how: readonly string[]): Promise<unknown> =>
        Promise.all(
          these
            .map(find)
            .flatMap(({ namespace, link }) => [
              run('tc', ['qdisc', verb, 'dev', link, 'root', ...how]),
              run('tc', ['-n', namespace, 'qdisc', verb, 'dev', 'eth0', 'root', ...how]),
            ]),
        );
      await shape('add', 'tbf', 'rate', rate, 'burst', '8kb', 'latency', '400ms');
      return () => shape('del');
    },
    async slowDown(these) {
      slowLink ??= await startSlowLink([bridge, slowBridge]);
      const move = (to: string): Promise<void> =>
        ip(
          ...these.map((name) => `link set ${find(name).link} master ${to}`),
          // They have learnt who is behind which link.
          ...[bridge, slowBridge].map((name) => `link set ${name} type bridge fdb_flush`),
        );
      await move(slowBridge);
      return () => move(bridge);
    },
    async moveAddress(name) {
      const to = find(name);
      const moving = addressOf(MOVING);
      if (addressAt) await ipIn(addressAt.namespace, `address del ${moving}/32 dev eth0`);
      await ipIn(to.namespace, `address add ${moving}/32 dev eth0`);
      // As a host tells its network whose address has come to it.
      await ip(`neighbour replace ${moving} lladdr ${macOf(to.n)} dev ${bridge} nud permanent`);
      addressAt = to;
    },
  };
}

function hostIn(name: string, namespace: string, address: string): TestHost {
  const ahead = join(makeTestFolder(), 'ahead');
  const setClock = (aheadS: number): void => {
    // Renamed into place: nobody reads half of it.
    writeFileSync(`${ahead}.new`, `${aheadS < 0 ? '-' : '+'}${Math.abs(aheadS)}\n`);
    renameSync(`${ahead}.new`, ahead);
  };
  setClock(0);
  const clock = {
    LD_PRELOAD: process.env['LIBFAKETIME_PATH'],
    FAKETIME_TIMESTAMP_FILE: ahead,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DISABLE_SHM: '1',
  };
  const settings = Object.entries(clock).map(([setting, value]) => `${setting}=${value}`);
  const enter = ['nsenter', `--net=${join(NAMESPACES, namespace)}`, '--'];
  return { name, address, enter, through: [...endingWithUs(), ...enter, 'env', ...settings], setClock };
}

/** Of processes that were killed: their namespaces and bridges bear their ids. */
async function removeLeftovers(): Promise<void> {
  const shown = await run('ip', ['-json', 'link', 'show', 'type', 'bridge']);
  const bridges = (JSON.parse(shown) as { ifname?: string }[]).map(({ ifname = '' }) => ifname);
  const isLeft = (name: string, pattern: RegExp): boolean => {
    const pid = Number(pattern.exec(name)?.[1]);
    return pid > 0 && (pid === process.pid || processIdentity(pid) === undefined);
  };
  await removeAll(
    bridges.filter((name) => isLeft(name, /^t[bs](\d+)$/)),
    namespaces().filter((name) => isLeft(name, /^triagem-(\d+)-/)),
  );
}

/** What is left in a namespace is killed first. Another test may be removing the same. */
async function removeAll(bridges: readonly string[], ofHosts: readonly string[]): Promise<void> {
  const there = namespaces();
  const removing = ofHosts
    .filter((name) => there.includes(name))
    .map(async (namespace) => {
      const pids = await run('ip', ['netns', 'pids', namespace]);
      signalAll(pids.split('\n').filter(Boolean).map(Number), 'SIGKILL');
      await run('ip', ['netns', 'del', namespace]);
    });
  await Promise.allSettled([...removing, ...bridges.map((bridge) => run('ip', ['link', 'del', bridge]))]);
}

function namespaces(): string[] {
  return existsSync(NAMESPACES) ? readdirSync(NAMESPACES) : [];
}

/** Changes the network of this process, or of a namespace. Resolves once all is done, a millisecond later. */
type Ip = (...commands: readonly string[]) => Promise<void>;

/** One program that runs as long as the test: to start one for each change takes a busy machine a second. */
function openIp(namespace?: string): Ip {
  const args = namespace === undefined ? [] : ['-n', namespace];
  const child = spawn('ip', [...args, '-batch', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('ip does not do it: see above')));
  ended.catch(() => {});
  closeOnce(() => child.kill('SIGKILL'));
  let last: Promise<unknown> = Promise.resolve();
  return async (...commands) => {
    const done = last.then(() => {
      child.stdin.write([...commands, 'link show lo', ''].join('\n'));
      return Promise.race([once(child.stdout, 'data'), ended]);
    });
    last = done.catch(() => {});
    await done;
  };
}

async function run(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args)).stdout;
}
