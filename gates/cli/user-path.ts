import { resolve } from 'node:path';
import type { Environment } from './command.ts';

/** Returns the whole path of a file on the command line: npm changes to its own folder, and has the caller's in INIT_CWD. */
export function userPath(path: string, env: Environment): string {
  const folder = env['npm_lifecycle_event'] === 'gates' ? env['INIT_CWD'] : undefined;
  return resolve(folder ?? '', path);
}
