import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildProgram, startChildProgram } from '../support/child-program.ts';
import { openFileLimit } from './open-file-limit.ts';

/** Thousands of viewers in a process of their own. */
export interface Crowd {
  /** Resolves once each of them has got its first counts. */
  open(opening: Opening): Promise<void>;
  /** How many complete `counts` frames they have got in all, once no more come. Rejects if one lost its stream. */
  framesWhenQuiet(): Promise<number>;
  /** What the sampled ones have got since this was called before. */
  takeDeliveries(): Promise<readonly Delivery[]>;
  /** The text of the last `counts` event. */
  newestEvent(): Promise<string>;
  closeAll(): Promise<void>;
  stop(): Promise<void>;
}

export interface Opening {
  readonly port: number;
  /** What each viewer sends: a whole HTTP request. */
  readonly request: string;
  readonly count: number;
  /** Of one stream in so many, each delivery is noted. */
  readonly sampleEvery: number;
}

/** A `counts` frame that a viewer has got. */
export interface Delivery {
  readonly stream: number;
  /** How many have entered, as it says. */
  readonly total: number;
  /** By the machine's clock. */
  readonly atMs: number;
}

/** Files that a process has open beside its streams. */
const SPARE_FILES = 200;
const QUIET_MS = 400;

export function startCrowd(most: number, signal: AbortSignal): Crowd {
  const limit = openFileLimit();
  if (limit < most + SPARE_FILES) {
    throw new Error(
      `${most} viewers need as many open files, and ${limit} are allowed: raise the limit with ulimit -n ${most + SPARE_FILES}`,
    );
  }
  const program: ChildProgram = startChildProgram('../viewers/crowd-process.js', { signal });
  return {
    open: (opening) => program.ask('open', opening),
    async framesWhenQuiet() {
      let before = -1;
      let frames = await program.ask<number>('frames');
      while (frames !== before) {
        await sleep(QUIET_MS, undefined, { signal });
        before = frames;
        frames = await program.ask<number>('frames');
      }
      return frames;
    },
    takeDeliveries: () => program.ask('takeDeliveries'),
    newestEvent: () => program.ask('newestEvent'),
    closeAll: () => program.ask('closeAll'),
    stop: () => program.stop(),
  };
}
