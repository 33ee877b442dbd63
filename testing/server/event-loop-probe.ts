import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../folder.ts';

/** A time in which the event loop did one thing only, in milliseconds. */
interface Block {
  readonly blockedMs: number;
  /** How much of it the process had a processor for: what is its own doing on a machine that does other things. */
  readonly workedMs: number;
}

/** Measures, inside of it, how long the event loop of a program is blocked. */
export interface EventLoopProbe {
  /** For the program's environment. */
  readonly env: Record<string, string>;
  /** The longest of this process since then. `sinceMs`: Unix time. */
  longestBlock(pid: number | undefined, sinceMs: number): Block;
}

export function createEventLoopProbe(): EventLoopProbe {
  const file = join(makeTestFolder(), 'blocks');
  const probe = new URL('event-loop-probe.mjs', import.meta.url);
  return {
    env: { NODE_OPTIONS: `--import=${probe.href}`, EVENT_LOOP_PROBE: file },
    longestBlock(pid, sinceMs) {
      const lines = readFileSync(`${file}.${pid}`, 'utf8').split('\n').filter(Boolean);
      const blocks = lines.map((line) => JSON.parse(line) as Block & { untilMs: number });
      // What a start does before it listens keeps no viewer waiting.
      const longest = (kind: keyof Block): number =>
        Math.max(0, ...blocks.map((block) => Math.min(block[kind], block.untilMs - sinceMs)));
      return { blockedMs: longest('blockedMs'), workedMs: longest('workedMs') };
    },
  };
}
