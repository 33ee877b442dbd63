import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's folder: that of the nearest package.json above the compiled program. */
export const PROJECT_ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('no package.json above the program');
  return rootAbove(parent);
}
