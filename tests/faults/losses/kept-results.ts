import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_FULL } from '../../../testing/durations.ts';
import { PROJECT_ROOT } from '../../../testing/project-root.ts';
import type { Survived } from './match.ts';

const FILE = join(PROJECT_ROOT, 'build/hosts.jsonl');

/** What one loss took, each time that it was survived: a full run goes on where another one of the same commit stopped. */
interface KeptResults {
  readonly count: number;
  readonly add: (survived: Survived) => void;
}

export function openKeptResults(loss: string): KeptResults {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: PROJECT_ROOT, encoding: 'utf8' }).trim();
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').filter(Boolean) : [];
  const kept = lines.map((line) => JSON.parse(line) as { readonly loss: string; readonly commit: string });
  const own = kept.filter((each) => each.loss === loss && each.commit === commit);
  return {
    count: IS_FULL ? own.length : 0,
    add(survived) {
      const rounded = Object.entries(survived).map(([key, ms]) => [key, Math.round(ms as number)]);
      appendFileSync(FILE, `${JSON.stringify({ loss, commit, ...Object.fromEntries(rounded) })}\n`);
    },
  };
}
