import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

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
  const folder = mkdtempSync(join(tmpdir(), 'triagem-probe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'blocks');
  const probe = new URL('event-loop-probe.mjs', import.meta.url);
  return {
    env: { NODE_OPTIONS: `--import=${probe.href}`, EVENT_LOOP_PROBE: file },
    longestBlock(pid, sinceMs) {
      const blocks = readFileSync(`${file}.${pid}`, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Block & { untilMs: number })
        // What a start does before it listens keeps no viewer waiting.
        .map(({ untilMs, blockedMs, workedMs }) => ({
          blockedMs: Math.min(blockedMs, untilMs - sinceMs),
          workedMs: Math.min(workedMs, untilMs - sinceMs),
        }));
      return {
        blockedMs: Math.max(0, ...blocks.map(({ blockedMs }) => blockedMs)),
        workedMs: Math.max(0, ...blocks.map(({ workedMs }) => workedMs)),
      };
    },
  };
}
