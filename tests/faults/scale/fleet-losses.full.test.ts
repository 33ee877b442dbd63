import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { NatsServer } from '../../../testing/nats-server.ts';
import type { FleetMember } from '../../../testing/recording-fleet.ts';
import { startTicketWriter } from '../../../testing/ticket-writer.ts';
import { openWatchedFleet } from './watched-fleet.ts';

/**
 * What a fleet may lose, with as many screens and commits as it is meant for. The machine is theirs alone: how long it
 * takes is told by the clock on the wall.
 */

const LIVE_WITHIN_MS = 3_000;
const HERD = { screens: 496, processes: 4 };
const STOPPED_MS = 4_000;
const FAILOVERS = 3;
/** What systemd waits before it starts nginx again. */
const RESTART_MS = 100;

test('500 screens under 200 commits/s: each process of a fleet is killed, and stands still, in turn; the primary is killed, and its standby promoted: all are live again within 3 s, none shows a wrong number, and no minute is missing or wrong', async () => {
  const watched = await openWatchedFleet(HERD);
  const { fleet, herd, nginx } = watched;
  const writer = startTicketWriter({ urls: watched.gatesUrls, first: 1, everyMs: 3 });
  const took: [what: string, ms: number][] = [];
  /** Until all are live by what was committed after it; then comes `restore`. */
  const lose = async (what: string, loss: () => unknown, restore: () => unknown): Promise<void> => {
    // Those who have fled from an edge that was lost before this one: to each again its half of them.
    await herd.reopen();
    await watched.untilLive(await watched.countEntered());
    const lostAtMs = performance.now();
    await loss();
    await watched.untilLive((await watched.countEntered()) + 1);
    took.push([what, Math.round(performance.now() - lostAtMs)]);
    await restore();
    await fleet.untilWhole();
  };
  const killMember = (member: FleetMember): Promise<void> =>
    lose(
      `${member.name} killed`,
      () => member.process.end('SIGKILL'),
      () => member.start(),
    );
  const stopMember = ({ name, process: { child } }: FleetMember): Promise<void> =>
    lose(
      `${name} stopped`,
      () => child.kill('SIGSTOP'),
      async () => {
        await pause(STOPPED_MS);
        child.kill('SIGCONT');
      },
    );
  const killNats = (server: NatsServer): Promise<void> =>
    lose(
      'NATS killed',
      () => server.kill(),
      () => server.start(),
    );
  const stopNats = (server: NatsServer): Promise<void> =>
    lose(
      'NATS stopped',
      () => server.pause(),
      async () => {
        await pause(STOPPED_MS);
        server.resume();
      },
    );

  for (const member of [...fleet.counters, ...fleet.edges]) {
    await killMember(member);
    await stopMember(member);
  }
  for (const loseServer of [killNats, stopNats, killNats, stopNats]) {
    await loseServer(await serverOfEdges(fleet.nats.servers));
  }
  const restart = async (): Promise<void> => {
    await nginx.kill();
    await pause(RESTART_MS);
    await nginx.start();
  };
  await lose('nginx killed', restart, () => {});

  const commits = await writer.stop();
  watched.oracle.add(commits);
  for (const ms of await watched.failOver(FAILOVERS, commits.length + 1)) {
    took.push(['primary killed, standby promoted', Math.round(ms)]);
  }
  console.info('all live again after, in ms', took);
  expect(await watched.expectExact()).toBeGreaterThan(FAILOVERS);
  expect(took.filter(([, ms]) => ms >= LIVE_WITHIN_MS)).toEqual([]);
}, 900_000);

/** The one to which most of the edges are connected. */
async function serverOfEdges(servers: readonly NatsServer[]): Promise<NatsServer> {
  const edgesAt = async (server: NatsServer): Promise<number> =>
    (await server.clientNames()).filter((name) => name?.startsWith('triagem edge')).length;
  const counted = await Promise.all(
    servers.map(async (server) => ({ server, edges: await edgesAt(server) })),
  );
  const [first] = counted.toSorted((one, other) => other.edges - one.edges);
  if (!first?.edges) throw new Error('no edge is connected to NATS');
  return first.server;
}
