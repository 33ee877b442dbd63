import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdir, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { EMBEDDED_NAMES, isCluster, SETTINGS_FILE } from './cluster-files.ts';
import { writeOwnedFile, type DataFolder } from './data-folder.ts';
import { runProgram } from './run-program.ts';
import { DatabaseSetupError, DiskFullError } from '../setup-error.ts';

/** A cluster takes about 40 MB when it is new. */
const MIN_DISK_BYTES = 64 * 1024 * 1024;

/**
 * Makes the cluster if there is none, in a folder beside it that is renamed into place when complete: an interrupted initdb
 * leaves nothing that could be taken for a cluster.
 */
export async function ensureCluster(
  place: DataFolder,
  binaries: Binaries,
  superuserPassword: string,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  await removeLeftovers(place.folder);
  if (!existsSync(place.cluster)) {
    log(`making a database in ${place.cluster}`);
    await initialise(place, binaries, superuserPassword, signal);
    return;
  }
  if (!isCluster(place.cluster)) {
    throw new DatabaseSetupError(
      `What is in ${place.cluster} is no database, or only what is left of one.`,
      'If its disk is not mounted, mount it. Else move it away and start again, which makes an empty database; "gates -- restore" then brings the last backup back (docs/trouble.md).',
    );
  }
  const major = Number(await readFile(join(place.cluster, 'PG_VERSION'), 'utf8'));
  if (major === binaries.major) return;
  throw new DatabaseSetupError(
    `The database in ${place.cluster} was made by PostgreSQL ${major}, and this version of Triagem brings ${binaries.major}.`,
    'Start the old version of Triagem, back the tickets up (npm run -s gates -- backup FILE), then restore them with this one, in a new DATA_DIR.',
  );
}

async function initialise(
  place: DataFolder,
  binaries: Binaries,
  superuserPassword: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { folder, cluster, account } = place;
  const temporary = join(folder, `cluster.new-${randomBytes(6).toString('hex')}`);
  const passwordFile = `${temporary}.pw`;
  try {
    await writeOwnedFile(passwordFile, superuserPassword, 0o600, account);
    await mkdir(temporary, { mode: 0o700 });
    if (account) await chown(temporary, account.uid, account.gid);
    const options = {
      pgdata: temporary,
      username: EMBEDDED_NAMES.superuser,
      pwfile: passwordFile,
      auth: 'scram-sha-256',
      encoding: 'UTF8',
      // PostgreSQL's own locale: the same on every machine, whatever is installed there.
      locale: 'C',
      'locale-provider': 'builtin',
      'builtin-locale': 'C.UTF-8',
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const { code, output } = await runProgram(binaries.program('initdb'), ['--no-instructions', ...args], {
      account,
      detached: true,
      signal,
    });
    signal?.throwIfAborted();
    if (code !== 0) {
      // A full disk shows in initdb's output by many names, some of them only "Aborted".
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < MIN_DISK_BYTES) throw new DiskFullError(folder);
      throw new DatabaseSetupError(
        `initdb could not make a database in ${folder}: ${lastLines(output)}`,
        'Fix what it names and start again; or set DATA_DIR to another folder.',
      );
    }
    await appendFile(join(temporary, 'postgresql.conf'), `\ninclude '${SETTINGS_FILE}'\n`);
    await rename(temporary, cluster);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(temporary, { recursive: true, force: true });
  }
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('cluster.new-')) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function lastLines(output: string): string {
  return output.split('\n').slice(-4).join(' | ');
}
