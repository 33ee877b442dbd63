import { readFileSync } from 'node:fs';

/** How many files, and so connections, a process of ours may have open: Node raises its limit to the hard one. */
export function openFileLimit(): number {
  const limit = /Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === undefined ? Infinity : Number(limit);
}
