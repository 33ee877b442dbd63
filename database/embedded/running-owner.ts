import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EMBEDDED_NAMES } from './cluster-files.ts';
import { openSecrets } from './secrets.ts';
import { errorCode, explainFolderError } from '../setup-error.ts';

/** The owner's access to the embedded database of a server that runs. */
export interface RunningOwner {
  readonly folder: string;
  readonly ownerUrl: string;
}

/**
 * Returns the first of these data folders in which a server has left its gates.json; undefined where there is none.
 *
 * @throws DatabaseSetupError: this account may not read it, or secrets.json beside it is missing or damaged.
 */
export async function findRunningOwner(folders: readonly string[]): Promise<RunningOwner | undefined> {
  for (const folder of folders) {
    try {
      const { url } = JSON.parse(await readFile(join(folder, 'gates.json'), 'utf8')) as { url: string };
      const { owner } = await openSecrets({ folder, cluster: join(folder, 'cluster') });
      const login = { username: EMBEDDED_NAMES.owner, password: owner };
      return { folder, ownerUrl: Object.assign(new URL(url), login).href };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw explainFolderError(error, folder);
    }
  }
  return undefined;
}
