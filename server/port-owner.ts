import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTEN = '0A';

/**
 * Which process listens on a port, as far as this account may know: `process 1234 (node)`. Its arguments may hold a
 * password. Linux only.
 */
export async function describePortOwner(port: number): Promise<string> {
  const inodes = await listeningInodes(port);
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const folders = await readdir('/proc').catch(() => []);
  for (const pid of inodes.length === 0 ? [] : folders.filter((name) => /^\d+$/.test(name))) {
    if (!(await openFilesOf(pid)).some((target) => sockets.has(target))) continue;
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    return `process ${pid} (${name.replaceAll(/\p{Cc}/gu, '')})`;
  }
  return 'another program';
}

async function listeningInodes(port: number): Promise<string[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return tables
    .join('\n')
    .split('\n')
    .flatMap((row) => {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      return local.endsWith(suffix) && state === LISTEN && inode !== undefined ? [inode] : [];
    });
}

/** None of a process that is gone, or another account's. */
async function openFilesOf(pid: string): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
}
