import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { canEnter, databaseAccount } from './account.ts';
import { projectFolder, SYSTEM_FOLDER } from '../data-folders.ts';
import type { Account } from './run-program.ts';
import { DatabaseSetupError, errorCode, errorMessage, explainFolderError } from '../setup-error.ts';

/** The folders of one embedded database. */
export interface DataFolder {
  /** Holds what several databases of one installation share: the copy of the binaries, if one is needed. */
  readonly base: string;
  /** Secrets, lock, connection files, and the cluster. */
  readonly folder: string;
  /** PostgreSQL's own folder. */
  readonly cluster: string;
  /** The account PostgreSQL runs as; undefined: our own. */
  readonly account: Account | undefined;
}

/**
 * Chooses the data folder and makes it: `dataDir`, else `.triagem` in the project, else, where the database's account
 * cannot enter that, /var/lib/triagem. Where no database is to work in it, no account but our own must enter it.
 */
export async function openDataFolder(
  dataDir: string | undefined,
  subfolder: string | undefined,
  hasDatabase = true,
): Promise<DataFolder> {
  const project = projectFolder();
  if (!hasDatabase) {
    const base = dataDir === undefined ? project : resolve(dataDir);
    return make({ ...foldersOf(base, subfolder), account: undefined });
  }
  const wanted = await describe(dataDir === undefined ? project : resolve(dataDir), subfolder);
  if (await canEnter(wanted.account, nearestExisting(wanted.folder))) return make(wanted);
  if (dataDir !== undefined) throw cannotEnter(wanted);
  const system = await describe(SYSTEM_FOLDER, subfolder);
  if (!(await canEnter(system.account, nearestExisting(system.folder)))) throw cannotEnter(system);
  return make(system);
}

/**
 * Writes a file atomically, for `owner`, else for the owner of its folder: root may be working in the folder of an ordinary
 * user, who must be able to continue with it.
 */
export async function writeOwnedFile(
  path: string,
  text: string,
  mode: number,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      if (process.getuid?.() === 0) {
        const { uid, gid } = owner ?? (await stat(dirname(path)));
        await file.chown(uid, gid);
      }
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function describe(base: string, subfolder: string | undefined): Promise<DataFolder> {
  const folders = foldersOf(base, subfolder);
  try {
    return { ...folders, account: await databaseAccount(folders.cluster) };
  } catch (error) {
    throw cannotMake(error, folders.folder);
  }
}

function foldersOf(base: string, subfolder: string | undefined): Omit<DataFolder, 'account'> {
  const folder = subfolder === undefined ? base : join(base, subfolder);
  return { base, folder, cluster: join(folder, 'cluster') };
}

async function make(place: DataFolder): Promise<DataFolder> {
  try {
    // One by one: Node's recursive mkdir never ends where a file system refuses folders, as in /proc.
    for (const folder of missingFolders(place.folder)) {
      await mkdir(folder);
      // The account must get through them, whatever our umask.
      await chmod(folder, 0o755);
      if (process.getuid?.() === 0 && folder.startsWith(`${place.base}/`)) {
        const { uid, gid } = await stat(place.base);
        await chown(folder, uid, gid);
      }
    }
    return place;
  } catch (error) {
    throw cannotMake(error, place.folder);
  }
}

/** Returns the missing folders on the path to `folder`, from the top. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder];
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

/** Explains any failure of the system: a folder of /proc, a name too long, links in a circle. */
function cannotMake(error: unknown, folder: string): unknown {
  const explained = explainFolderError(error, folder);
  if (explained instanceof DatabaseSetupError || errorCode(error) === undefined) return explained;
  return new DatabaseSetupError(
    `The data folder ${folder} cannot be made (${errorMessage(error)}).`,
    'Set DATA_DIR to a folder on an ordinary disk.',
    { cause: error },
  );
}

function cannotEnter(place: DataFolder): DatabaseSetupError {
  const who = place.account
    ? `the account "${place.account.name}", as which PostgreSQL runs,`
    : 'this account';
  return new DatabaseSetupError(
    `The data folder ${place.folder} cannot be entered by ${who} because of the rights of a folder above it.`,
    'Set DATA_DIR to a folder it can enter, or run as an ordinary user.',
  );
}
