import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../testing/statistics.ts';
import type { ChildProgram } from '../support/child-program.ts';
import type { Delivery, Opening } from '../support/clients-process.ts';
import { framesWhenQuiet } from '../support/clients.ts';
import { delaysOf } from '../support/delays.ts';
import type { Admission, Contender } from './contender.ts';
import { letIn, type Load } from './load.ts';

/** At one rate. */
export interface RateSample {
  /** Frames delivered, per second of processor time that the server's process used. */
  readonly framesPerCpuSecond: number;
  /** What each viewer got. */
  readonly framesPerSecond: number;
  /**
   * From the commit's acknowledgement (or the order to send) to the viewer that has read a frame with it. What was never
   * sent counts as long as it waited: where something was not, the figure is the least that it can be.
   */
  readonly delayP99Ms: number;
  readonly longestStallMs: number;
  /** How long the oldest admission that was never sent had waited; 0: none, the server kept up, or caught up. */
  readonly behindMs: number;
}

interface Sample {
  /** Of the server's process, at the first rate. 1 KB = 1,024 bytes. */
  readonly kilobytesPerViewer: number;
  /** In the order of the loads. */
  readonly rates: readonly RateSample[];
}

/** A few viewers come and go before memory is looked at: code that is loaded by then is nobody's share. */
const VIEWERS_BEFORE = 50;
const SAMPLED_STREAMS = 100;
const REST_MS = 500;
const LATEST_MS = 20_000;

/** One server with so many viewers, under one load after the other. */
export async function measureContender(
  contender: Contender,
  clients: ChildProgram,
  { viewers, warmUp, loads }: { viewers: number; warmUp: Load; loads: readonly Load[] },
  signal: AbortSignal,
): Promise<Sample> {
  const { program, port, request } = contender;
  const { usage } = program;
  const open = (count: number): Promise<void> => {
    const sampleEvery = Math.ceil(count / SAMPLED_STREAMS);
    return clients.call('open', { port, request, count, sampleEvery } satisfies Opening);
  };
  await open(VIEWERS_BEFORE);
  await letIn(contender, warmUp, signal);
  await clients.call('closeAll');
  await sleep(REST_MS, undefined, { signal });
  const memoryMbBefore = usage.memoryMb();

  await open(viewers);
  await letIn(contender, warmUp, signal);
  let kilobytesPerViewer = NaN;
  const rates: RateSample[] = [];
  for (const load of loads) {
    const framesBefore = await framesWhenQuiet(clients, signal);
    await clients.call('takeDeliveries');
    await program.call('longestStallMs');
    const cpuMsBefore = usage.cpuMs();
    const { admissions, tookS, endedAtMs } = await letIn(contender, load, signal);
    const frames = (await framesWhenQuiet(clients, signal)) - framesBefore;
    const cpuSeconds = (usage.cpuMs() - cpuMsBefore) / 1_000;
    const waitedMs = admissions.filter(({ isSent }) => !isSent).map(({ atMs }) => endedAtMs - atMs);
    const newest = admissions.findLast(({ isSent }) => isSent)?.total ?? 0;
    const deliveries = await deliveriesUntil(newest, clients, signal);
    if (rates.length === 0) kilobytesPerViewer = ((usage.memoryMb() - memoryMbBefore) * 1_024) / viewers;
    rates.push({
      framesPerCpuSecond: frames / cpuSeconds,
      framesPerSecond: frames / viewers / tookS,
      delayP99Ms: percentile(delaysOfAll(admissions, deliveries, waitedMs), 0.99),
      longestStallMs: await program.call<number>('longestStallMs'),
      behindMs: Math.max(0, ...waitedMs),
    });
  }
  await clients.call('closeAll');
  return { kilobytesPerViewer, rates };
}

/**
 * All deliveries, once each sampled stream has had this total. A machine that stood still for a moment looks quiet: what
 * comes later than that counts as late as it comes. What does not come at all is found by whoever looks for it.
 */
async function deliveriesUntil(
  newest: number,
  clients: ChildProgram,
  signal: AbortSignal,
): Promise<readonly Delivery[]> {
  const limitMs = performance.now() + LATEST_MS;
  const deliveries: Delivery[] = [];
  for (;;) {
    deliveries.push(...(await clients.call<Delivery[]>('takeDeliveries')));
    const had = new Map(deliveries.map(({ stream, total }) => [stream, total]));
    if (performance.now() > limitMs || [...had.values()].every((total) => total >= newest)) return deliveries;
    await sleep(REST_MS, undefined, { signal });
  }
}

/** Of each sampled client, for each admission; `waitedMs`: for those that were never sent. */
function delaysOfAll(
  admissions: readonly Admission[],
  deliveries: readonly Delivery[],
  waitedMs: readonly number[],
): number[] {
  const sent = admissions.filter(({ isSent }) => isSent);
  const streams = new Set(deliveries.map(({ stream }) => stream));
  const arrivalsOf = (one: number): Delivery[] => deliveries.filter(({ stream }) => stream === one);
  return [...streams].flatMap((stream) => delaysOf(sent, arrivalsOf(stream)).concat(waitedMs));
}
