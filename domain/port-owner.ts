const LISTEN = '0A';

/** The part of `node:fs/promises` that is needed to read /proc. */
export interface ProcFiles {
  readdir(folder: string): Promise<string[]>;
  readFile(file: string, encoding: 'utf8'): Promise<string>;
  readlink(link: string): Promise<string>;
}

interface ListeningSocket {
  readonly uid: number;
  readonly inode: string;
}

/**
 * Returns which process listens on a port, as far as the account `uid` may know: `process 1234 (node)`, without its arguments,
 * which may hold a password. It works on Linux only.
 */
export async function describePortOwner(
  port: number,
  files: ProcFiles,
  uid: number | undefined,
): Promise<string> {
  const listening = await findListening(port, files);
  const sockets = new Set(listening.map(({ inode }) => `socket:[${inode}]`));
  const folders = await files.readdir('/proc').catch(() => []);
  for (const pid of listening.length === 0 ? [] : folders.filter((name) => /^\d+$/.test(name))) {
    if (!(await openFilesOf(pid, files)).some((target) => sockets.has(target))) continue;
    const name = await files.readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    return `process ${pid} (${name.replaceAll(/\p{Cc}/gu, '')})`;
  }
  const other = listening.find((socket) => socket.uid !== uid);
  return other ? `a program of another user (uid ${other.uid})` : 'another program';
}

async function findListening(port: number, files: ProcFiles): Promise<ListeningSocket[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => files.readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return tables
    .join('\n')
    .split('\n')
    .flatMap((row) => {
      const [, local = '', , state, , , , uid, , inode] = row.trim().split(/\s+/);
      const isListening = local.endsWith(suffix) && state === LISTEN && inode !== undefined;
      return isListening ? [{ uid: Number(uid), inode }] : [];
    });
}

/** Returns none for a process that has ended, or belongs to another account. */
async function openFilesOf(pid: string, files: ProcFiles): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await files.readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => files.readlink(`${folder}/${name}`).catch(() => '')));
}
