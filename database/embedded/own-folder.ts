import { type DataFolder, openDataFolder } from './data-folder.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { explainFolderError } from '../setup-error.ts';

/** The data folder of this process: no other process of ours works in it until `lock` is released. */
export interface OwnFolder {
  readonly place: DataFolder;
  readonly lock: FolderLock;
}

export interface OwnFolderOptions {
  /** `undefined`: `.triagem` in the project, or /var/lib/triagem where the database's account cannot enter that. */
  readonly dataDir?: string | undefined;
  /** Separates databases of one data folder, as 'demo'. */
  readonly subfolder?: string | undefined;
  /** Whether a PostgreSQL will use the folder, perhaps as another account. Default: true. */
  readonly hasDatabase?: boolean;
}

/** @throws DatabaseSetupError: the folder cannot be used, or another process has it */
export async function takeOwnFolder({
  dataDir,
  subfolder,
  hasDatabase = true,
}: OwnFolderOptions): Promise<OwnFolder> {
  const place = await openDataFolder(dataDir, subfolder, hasDatabase);
  const lock = await lockFolder(place.folder).catch((error: unknown) => {
    throw explainFolderError(error, place.folder);
  });
  return { place, lock };
}
