import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../testing/statistics.ts';
import type { ChildProgram } from '../support/child-program.ts';
import type { Delivery, Opening } from '../support/clients-process.ts';
import { framesWhenQuiet } from '../support/clients.ts';
import { delaysOf, type TimedTotal } from '../support/delays.ts';
import { pace } from '../support/pace.ts';
import { randomGaps } from '../support/random-gaps.ts';
import type { Contender } from './contender.ts';

/** A full stadium's peak. */
export const PER_SECOND = 15;
/** A few viewers come and go before memory is looked at: code that is loaded by then is nobody's share. */
const VIEWERS_BEFORE = 50;
const SAMPLED_STREAMS = 100;
const REST_MS = 500;

/** One server with so many viewers, for a while. */
export async function measureContender(
  { program, port, request, enter }: Contender,
  clients: ChildProgram,
  load: {
    readonly viewers: number;
    readonly warmUpS: number;
    readonly windowS: number;
    readonly seed: number;
  },
  signal: AbortSignal,
) {
  const { viewers, warmUpS, windowS, seed } = load;
  const { usage } = program;
  const gapMs = randomGaps(PER_SECOND, seed);
  const open = (count: number): Promise<void> => {
    const sampleEvery = Math.ceil(count / SAMPLED_STREAMS);
    return clients.call('open', { port, request, count, sampleEvery } satisfies Opening);
  };
  const enterFor = (seconds: number): Promise<TimedTotal[]> =>
    pace({ gapMs, times: PER_SECOND * seconds, signal }, enter);

  await open(VIEWERS_BEFORE);
  await enterFor(warmUpS);
  await clients.call('closeAll');
  await sleep(REST_MS, undefined, { signal });
  const memoryMbBefore = usage.memoryMb();

  await open(viewers);
  await enterFor(warmUpS);
  const framesBefore = await framesWhenQuiet(clients, signal);
  await clients.call('takeDeliveries');
  await program.call('longestStallMs');
  const cpuMsBefore = usage.cpuMs();
  const startMs = performance.now();
  const admissions = await enterFor(windowS);
  const tookS = (performance.now() - startMs) / 1_000;
  const frames = (await framesWhenQuiet(clients, signal)) - framesBefore;
  const cpuSeconds = (usage.cpuMs() - cpuMsBefore) / 1_000;
  const measured = {
    // Frames delivered, per second of processor time that the server's process used.
    framesPerCpuSecond: frames / cpuSeconds,
    // What each viewer got.
    framesPerSecond: frames / viewers / tookS,
    // 1 KB = 1,024 bytes.
    kilobytesPerViewer: ((usage.memoryMb() - memoryMbBefore) * 1_024) / viewers,
    // From the commit's acknowledgement (or the order to send) to the viewer that has read a frame with it.
    delayP99Ms: percentile(delaysOfAll(admissions, await clients.call('takeDeliveries')), 0.99),
    longestStallMs: await program.call<number>('longestStallMs'),
  };
  await clients.call('closeAll');
  return measured;
}

/** Of each sampled client, for each admission. */
function delaysOfAll(admissions: readonly TimedTotal[], deliveries: readonly Delivery[]): number[] {
  const streams = new Set(deliveries.map(({ stream }) => stream));
  const arrivalsOf = (one: number): Delivery[] => deliveries.filter(({ stream }) => stream === one);
  return [...streams].flatMap((stream) => delaysOf(admissions, arrivalsOf(stream)));
}
