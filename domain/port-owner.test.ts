import { expect, test } from 'vitest';
import { describePortOwner, type ProcFiles } from './port-owner.ts';

/** Port 3001 (0x0BB9) belongs to the user 1000, and port 3002 to the user 70. */
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB9 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1 0 100 0 0 10 0
   1: 0100007F:0BB9 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 333 1 0 100 0 0 10 0
   2: 0100007F:0BBA 00000000:0000 0A 00000000:00000000 00:00000000 00000000    70        0 222 1 0 100 0 0 10 0
`;

function procOf(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>>): ProcFiles {
  const find = async (known: Readonly<Record<string, string>>, name: string): Promise<string> =>
    known[name] ?? Promise.reject(new Error(`no ${name}`));
  return {
    readFile: (file) => find(files, file),
    readlink: (link) => find(links, link),
    readdir: async (folder) =>
      [...Object.keys(files), ...Object.keys(links)].flatMap((path) => {
        const [name = '', ...deeper] = path.startsWith(`${folder}/`)
          ? path.slice(folder.length + 1).split('/')
          : [];
        return name === '' || (deeper.length > 0 && folder !== '/proc') ? [] : [name];
      }),
  };
}

const proc = procOf(
  { '/proc/net/tcp': TABLE, '/proc/77/comm': 'gates\u001b\n' },
  { '/proc/77/fd/0': '/dev/null', '/proc/77/fd/5': 'socket:[111]' },
);

test.each([
  ['the process, where this account may see it', 3001, 1000, proc, 'process 77 (gates)'],
  ['that it is of another user, where it may not', 3002, 1000, proc, 'a program of another user (uid 70)'],
  ['nothing more, where it is one of ours that cannot be seen', 3002, 70, proc, 'another program'],
  ['nothing more, where nobody listens any more', 3003, 1000, proc, 'another program'],
  ['nothing more, where there is no /proc', 3001, undefined, procOf({}, {}), 'another program'],
])('the process that has a port is described by %s', async (_what, port, uid, files, words) => {
  expect(await describePortOwner(port, files, uid)).toBe(words);
});
