import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProgram } from '../support/child-program.ts';
import { pace } from '../support/pace.ts';
import { percentile } from '../../testing/statistics.ts';
import type { Admission } from '../support/stadium.ts';
import { type Delivery, framesWhenQuiet } from './clients.ts';
import type { Contender } from './contender.ts';

/** One server with so many viewers, for a while. */
export interface Measured {
  /** Frames delivered, per second of processor time that the server's process used. */
  readonly framesPerCpuSecond: number;
  /** What each viewer got. */
  readonly framesPerSecond: number;
  /** Resident memory; 1 KB = 1,024 bytes. */
  readonly kilobytesPerViewer: number;
  /** From the commit's acknowledgement (or the order to send) to the viewer that has read a frame with it. */
  readonly delayP99Ms: number;
  readonly longestStallMs: number;
}

export interface Load {
  readonly viewers: number;
  readonly warmUpS: number;
  readonly windowS: number;
}

const FRAMES_PER_SECOND = 10;
/** A few viewers come and go before memory is looked at: code that is loaded by then is nobody's share. */
const VIEWERS_BEFORE = 50;
const SAMPLED_STREAMS = 100;
const REST_MS = 500;

export async function measureContender(
  { program, port, request, enter }: Contender,
  clients: ChildProgram,
  { viewers, warmUpS, windowS }: Load,
  signal: AbortSignal,
): Promise<Measured> {
  const open = (count: number): Promise<void> =>
    clients.call('open', { port, request, count, sampleEvery: Math.ceil(count / SAMPLED_STREAMS) });
  const enterFor = async (seconds: number): Promise<Admission[]> => {
    const admissions: Admission[] = [];
    await pace({ perSecond: FRAMES_PER_SECOND, seconds, signal }, async () => {
      admissions.push(await enter());
    });
    return admissions;
  };

  await open(VIEWERS_BEFORE);
  await enterFor(warmUpS);
  await clients.call('closeAll');
  await sleep(REST_MS, undefined, { signal });
  const memoryMbBefore = program.usage.memoryMb();

  await open(viewers);
  await enterFor(warmUpS);
  const framesBefore = await framesWhenQuiet(clients, signal);
  await clients.call('takeDeliveries');
  await program.call('longestStallMs');
  const cpuMsBefore = program.usage.cpuMs();
  const startMs = performance.now();
  const admissions = await enterFor(windowS);
  const tookS = (performance.now() - startMs) / 1_000;
  const frames = (await framesWhenQuiet(clients, signal)) - framesBefore;
  const cpuSeconds = (program.usage.cpuMs() - cpuMsBefore) / 1_000;
  const measured = {
    framesPerCpuSecond: frames / cpuSeconds,
    framesPerSecond: frames / viewers / tookS,
    kilobytesPerViewer: ((program.usage.memoryMb() - memoryMbBefore) * 1_024) / viewers,
    delayP99Ms: percentile(delaysOf(admissions, await clients.call<Delivery[]>('takeDeliveries')), 0.99),
    longestStallMs: await program.call<number>('longestStallMs'),
  };
  await clients.call('closeAll');
  return measured;
}

/** Of each admission, when each sampled viewer had a total that counts it: frames may be skipped, admissions not. */
function delaysOf(admissions: readonly Admission[], deliveries: readonly Delivery[]): number[] {
  const delays: number[] = [];
  for (const stream of new Set(deliveries.map((delivery) => delivery.stream))) {
    const ofStream = deliveries.filter((delivery) => delivery.stream === stream);
    let next = 0;
    for (const { total, atMs } of admissions) {
      while ((ofStream[next]?.total ?? Infinity) < total) next += 1;
      const delivery = ofStream[next];
      if (!delivery) throw new Error(`a viewer never got the total ${total}`);
      delays.push(delivery.atMs - atMs);
    }
  }
  return delays;
}
