import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { freePort } from '../../../testing/server/free-port.ts';
import { type Network, startNetwork } from '../../../testing/server/network.ts';
import { isRecording, type RecordedFlow, startRecordedFlow } from '../../../testing/desk/recorded-flow.ts';
import type { ServerProcess } from '../../../testing/server/server.ts';
import { until } from '../../../testing/until.ts';
import { startOperators } from '../../flow/operators.ts';
import { testLosses } from './test-losses.ts';
import { type Inflict, MATCH_ENV, MATCH_SPEED, type Topology } from './topology.ts';
import { openWatchedScreen, type WatchedScreen } from './watched-screen.ts';

/** One of two servers that observe one database and record one match, each by a network of its own. */
interface Member {
  readonly network: Network;
  readonly metricsUrl: string;
  readonly screen: WatchedScreen;
  process: ServerProcess;
  start(): Promise<void>;
}

testLosses('two servers', async (): Promise<Topology<'two servers'>> => {
  const flow = await startRecordedFlow(MATCH_SPEED);
  const { database, history, clock } = flow;
  const members = [await openMember(flow), await openMember(flow)] as const;
  const screens = members.map(({ screen }) => screen);

  /** A loss of the recorder, or of the other. */
  const lossOf =
    (isRecorder: boolean, lose: (member: Member) => Promise<unknown>): Inflict =>
    async ({ begins, counts }) => {
      const found = (): Member[] => members.filter(({ process }) => isRecording(process) === isRecorder);
      await until(() => expect(found()).toHaveLength(1));
      const [member] = found() as [Member];
      await pause(Math.random() * 1_000);
      begins([member.screen]);
      await lose(member);
      counts();
    };
  const kill = async (member: Member): Promise<void> => {
    await member.process.end('SIGKILL');
    await member.start();
  };
  const stopFor =
    (ms: number) =>
    async ({ process: { child } }: Member): Promise<void> => {
      child.kill('SIGSTOP');
      await pause(ms);
      child.kill('SIGCONT');
    };
  const cut =
    (untilRestored: (member: Member) => Promise<void>) =>
    async (member: Member): Promise<void> => {
      member.network.cut();
      await untilRestored(member);
      member.network.restore();
    };
  const cutFor = (ms: number): ((member: Member) => Promise<void>) => cut(() => pause(ms));
  const cutUntilOtherRecords = cut(async (member) => {
    const [other] = members.filter((one) => one !== member) as [Member];
    await until(() => expect(isRecording(other.process)).toBe(true), 30_000);
  });

  return {
    database,
    history,
    clock,
    screens,
    allScreens: screens,
    pages: [],
    operators: await startOperators(members.map(({ process }) => process.url)),
    pids: () => members.map(({ process }) => process.pid),
    async untilReady() {
      for (const { process } of members) await process.serves('/readyz');
      return members.map(({ metricsUrl }) => metricsUrl);
    },
    stop: () => Promise.all(members.map(({ process }) => process.stop())),
    losses: {
      'the recorder is killed': lossOf(true, kill),
      'the other is killed': lossOf(false, kill),
      'the recorder stands still for 3.5 s': lossOf(true, stopFor(3_500)),
      'the other stands still for 3.5 s': lossOf(false, stopFor(3_500)),
      'the recorder stands still for 1.2 s': lossOf(true, stopFor(1_200)),
      'the other stands still for 1.2 s': lossOf(false, stopFor(1_200)),
      'the recorder is cut off for 1.5 s': lossOf(true, cutFor(1_500)),
      'the other is cut off for 1.5 s': lossOf(false, cutFor(1_500)),
      'the other is cut off for 12 s': lossOf(false, cutFor(12_000)),
      'the recorder is cut off until it is relieved': lossOf(true, cutUntilOtherRecords),
    },
  };
});

async function openMember(flow: RecordedFlow): Promise<Member> {
  const network = await startNetwork(flow.database.observerUrl);
  const [port, metricsPort] = [await freePort(), await freePort()];
  const start = (): Promise<ServerProcess> =>
    flow.startServer({
      port,
      observerUrl: network.url,
      env: { METRICS_PORT: String(metricsPort), ...MATCH_ENV },
    });
  const process = await start();
  const member: Member = {
    network,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    screen: openWatchedScreen(process.url),
    process,
    async start() {
      member.process = await start();
    },
  };
  return member;
}
