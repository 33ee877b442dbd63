import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Counts } from '../../domain/event-state.ts';
import { closeOnce } from '../close-once.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { callerOf } from '../server/rpc.ts';
import type { DisplayedState } from './screen.ts';
import type { Look, Opening, ShownAsLive } from './screens-process.ts';

/** Hundreds of screens in several processes, so that each has time to read its stream. */
export interface ScreenHerd {
  readonly pids: readonly number[];
  /** Closes all screens and opens as many, which a balancer spreads anew. */
  reopen(): Promise<void>;
  /** Throws unless all screens are live, and display at least this total. */
  expectLive(least?: number): Promise<void>;
  /** Throws while a screen is live. */
  expectNoneLive(): Promise<void>;
  /** Throws unless all screens display these counts. */
  expectCounts(counts: Counts): Promise<void>;
  /** The ids of the displayed states. */
  ids(): Promise<ReadonlySet<string>>;
  /** When each state was first and last displayed as live, by process. */
  displayed(): Promise<readonly (readonly DisplayedState[])[]>;
  /** Displayed states that must never be on a screen (watchForContradictions). */
  violations(): Promise<readonly string[]>;
}

export interface HerdOptions {
  readonly screens: number;
  readonly processes: number;
}

/** Opens the screens, which are closed with the test. */
export async function openScreenHerd(url: string, { screens, processes }: HerdOptions): Promise<ScreenHerd> {
  const herds = Array.from({ length: processes }, startProcess);
  const each = <T>(name: string, argument?: unknown): Promise<T[]> =>
    Promise.all(herds.map(({ call }) => call<T>(name, argument)));
  const open = async (): Promise<void> => {
    await each('open', { url, count: screens / processes } satisfies Opening);
  };
  const look = (): Promise<Look[]> => each('look');
  await open();
  return {
    pids: herds.map(({ pid }) => pid),
    reopen: open,
    async expectLive(least = 0) {
      const looks = await look();
      expect(looks.reduce((live, process) => live + process.live, 0)).toBe(screens);
      expect(Math.min(...looks.map(({ leastTotal }) => leastTotal))).toBeGreaterThanOrEqual(least);
    },
    async expectNoneLive() {
      expect((await look()).map(({ live }) => live)).toEqual(herds.map(() => 0));
    },
    async expectCounts(counts) {
      for (const shown of await look()) expect(shown.counts).toEqual([counts]);
    },
    ids: async () => new Set((await look()).flatMap(({ ids }) => ids)),
    displayed: async () =>
      (await each<ShownAsLive[]>('shown'))
        .flat()
        .map(({ total, firstMs, lastMs }) => [
          displayedState(total, firstMs, true),
          displayedState(total, lastMs, false),
        ]),
    violations: async () => (await each<string[]>('violations')).flat(),
  };
}

function displayedState(total: number, unixMs: number, live: boolean): DisplayedState {
  const atMs = unixMs - performance.timeOrigin;
  return { atMs, unhinderedMs: atMs, live, total };
}

function startProcess(): { readonly pid: number; readonly call: ReturnType<typeof callerOf> } {
  const child = fork(join(PROJECT_ROOT, 'build/testing/browser/screens-process.js'), [], {
    env: { PATH: process.env['PATH'] ?? '' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  if (child.pid === undefined) throw new Error('a process of screens could not be started');
  const ended = once(child, 'exit');
  const stopping = new AbortController();
  closeOnce(() => {
    stopping.abort(new Error('the test has ended'));
    child.kill('SIGKILL');
    return ended;
  });
  return { pid: child.pid, call: callerOf(child, stopping.signal) };
}
