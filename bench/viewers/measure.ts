import { setTimeout as sleep } from 'node:timers/promises';
import { pace } from '../support/pace.ts';
import { figuresOf } from '../support/process-figures.ts';
import { percentile } from '../support/percentile.ts';
import type { Admission } from '../support/turnstile.ts';
import type { Contender } from './contender.ts';
import type { Crowd, Delivery } from './crowd.ts';

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
  readonly signal: AbortSignal;
}

const FRAMES_PER_SECOND = 10;
/** A few viewers come and go before memory is looked at: code that is loaded by then is nobody's share. */
const VIEWERS_BEFORE = 50;
const SAMPLED_STREAMS = 100;
const REST_MS = 500;

export async function measure(contender: Contender, crowd: Crowd, load: Load): Promise<Measured> {
  const { program, port, request } = contender;
  const { viewers, warmUpS, windowS, signal } = load;
  const figures = figuresOf(program.pid);
  const open = (count: number): Promise<void> =>
    crowd.open({ port, request, count, sampleEvery: Math.ceil(count / SAMPLED_STREAMS) });
  const enterFor = async (seconds: number): Promise<Admission[]> => {
    const admissions: Admission[] = [];
    await pace({ perSecond: FRAMES_PER_SECOND, seconds, signal }, async () => {
      admissions.push(await contender.enter());
    });
    return admissions;
  };

  await open(VIEWERS_BEFORE);
  await enterFor(warmUpS);
  await crowd.closeAll();
  await sleep(REST_MS, undefined, { signal });
  const memoryMbBefore = figures.memoryMb();

  await open(viewers);
  await enterFor(warmUpS);
  const framesBefore = await crowd.framesWhenQuiet();
  await crowd.takeDeliveries();
  await program.ask('longestStallMs');
  const cpuMsBefore = figures.cpuMs();
  const startMs = performance.now();
  const admissions = await enterFor(windowS);
  const tookS = (performance.now() - startMs) / 1_000;
  const frames = (await crowd.framesWhenQuiet()) - framesBefore;
  const cpuSeconds = (figures.cpuMs() - cpuMsBefore) / 1_000;
  const measured = {
    framesPerCpuSecond: frames / cpuSeconds,
    framesPerSecond: frames / viewers / tookS,
    kilobytesPerViewer: ((figures.memoryMb() - memoryMbBefore) * 1_024) / viewers,
    delayP99Ms: percentile(delaysOf(admissions, await crowd.takeDeliveries()), 0.99),
    longestStallMs: await program.ask<number>('longestStallMs'),
  };
  await crowd.closeAll();
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
