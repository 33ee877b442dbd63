import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where the data folder is if the database's account cannot enter the one in the project. */
export const SYSTEM_FOLDER = '/var/lib/triagem';

/** The data folder in the project. */
export function projectFolder(): string {
  return join(projectRoot(import.meta.dirname), '.triagem');
}

/** Returns the folders in which a server may leave gates.json, the likeliest first. `dataDir`: DATA_DIR as it is set. */
export function candidateFolders(dataDir: string | undefined): string[] {
  const given = dataDir?.trim();
  const bases = given ? [resolve(given)] : [projectFolder(), SYSTEM_FOLDER];
  return bases.flatMap((base) => [base, join(base, 'demo')]);
}

/** The folder of the nearest package.json upwards: the code runs from the sources and from build/. */
function projectRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error('no package.json above the program');
  return projectRoot(parent);
}
