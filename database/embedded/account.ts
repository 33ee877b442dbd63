import { readFile, stat } from 'node:fs/promises';
import { errorCode, DatabaseSetupError } from '../setup-error.ts';
import { runProgram, type Account } from './run-program.ts';

/**
 * Returns the account as which PostgreSQL runs: our own (`undefined`), unless that is root, which PostgreSQL refuses. Then it
 * is the owner of the cluster if there is one, else `postgres`, else `nobody`. No account is ever created.
 */
export async function databaseAccount(clusterFolder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = await readAccounts();
  const owner = await ownerOf(clusterFolder);
  if (owner === undefined) {
    const account =
      accounts.find(({ name }) => name === 'postgres') ?? accounts.find(({ name }) => name === 'nobody');
    if (account) return account;
    throw new DatabaseSetupError(
      'PostgreSQL does not run as root, and this machine has neither an account "postgres" nor "nobody".',
      'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL server of yours.',
    );
  }
  if (owner.uid === 0) {
    throw new DatabaseSetupError(
      `The database in ${clusterFolder} belongs to root, and PostgreSQL does not run as root.`,
      `Give it to the account that made it, for example: chown -R postgres ${clusterFolder}`,
    );
  }
  return accounts.find(({ uid }) => uid === owner.uid) ?? { name: `uid ${owner.uid}`, ...owner };
}

/** Whether the account can enter `folder` and all its parents. */
export async function canEnter(account: Account | undefined, folder: string): Promise<boolean> {
  const { code } = await runProgram('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { account });
  return code === 0;
}

async function readAccounts(): Promise<Account[]> {
  const passwd = await readFile('/etc/passwd', 'utf8');
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { uid, gid } = await stat(folder);
    return { uid, gid };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
