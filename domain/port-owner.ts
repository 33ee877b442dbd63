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

/** Triagem's launcher, and the program that it has become. */
const LAUNCHED = /(?:^|[\0/])tools\/launch\.mjs\0(start|demo(?::fleet)?|gates\0listen)(?:\0|$)/;
const OURS: Readonly<Record<string, string>> = {
  start: 'a server of Triagem that runs already',
  demo: 'a demo of Triagem',
  'demo:fleet': 'a demo of Triagem',
  'gates\0listen': '"listen" of Triagem, which runs already',
};
const SCRIPT = /\.[cm]?[jt]s$/;

/**
 * Returns which process listens on a port, as far as the account `uid` may know: `process 1234 (node server.js, in /srv)`,
 * without its other arguments, which may hold a password. It works on Linux only.
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
    const folder = await files.readlink(`/proc/${pid}/cwd`).catch(() => '');
    const about = `${await nameOf(pid, files)}${folder === '' ? '' : `, in ${folder}`}`;
    return `process ${pid} (${about.replaceAll(/\p{Cc}/gu, '')})`;
  }
  const other = listening.find((socket) => socket.uid !== uid);
  return other ? `a program of another user (uid ${other.uid})` : 'another program';
}

/** What a process calls itself is the name of a thread, and that of any Node the same. */
async function nameOf(pid: string, files: ProcFiles): Promise<string> {
  const command = await files.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const ours = OURS[LAUNCHED.exec(command)?.[1] ?? ''];
  if (ours !== undefined) return ours;
  const [first = '', ...rest] = command.split('\0');
  // Some write all of their command into the first argument.
  const program = baseOf(first.split(/[\s:]/, 1)[0] ?? '');
  if (program === '') return files.readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  const script = program === 'node' ? rest.find((argument) => SCRIPT.test(argument)) : undefined;
  return script === undefined ? program : `${program} ${baseOf(script)}`;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
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
