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

const LINKS = { '/proc/77/fd/0': '/dev/null', '/proc/77/fd/5': 'socket:[111]' };
const proc = procOf({ '/proc/net/tcp': TABLE, '/proc/77/comm': 'gates\u001b\n' }, LINKS);

/** As it was started: of Node, each process has the same name. */
function procOfCommand(...command: string[]): ProcFiles {
  const cmdline = command.map((argument) => `${argument}\0`).join('');
  return procOf(
    { '/proc/net/tcp': TABLE, '/proc/77/comm': 'MainThread\n', '/proc/77/cmdline': cmdline },
    { ...LINKS, '/proc/77/cwd': '/opt/x' },
  );
}

test.each([
  [['/usr/bin/python3', '-m', 'http.server', '--key=uma-chave'], 'python3'],
  [['node', '-e', 'uma-chave', '/srv/app/server.mjs', '--key=uma-chave'], 'node server.mjs'],
  [['nginx: master process /usr/sbin/nginx -g uma-chave', '', ''], 'nginx'],
  [['/b/node', '--x=4', 'tools/launch.mjs', 'start'], 'a server of Triagem that runs already'],
  [['node', '/opt/x/tools/launch.mjs', 'gates', 'listen'], '"listen" of Triagem, which runs already'],
  [['node', 'tools/launch.mjs', 'demo', '--seed', '1'], 'a demo of Triagem'],
])('of %j, the program is named with its folder, and no other argument', async (command, name) => {
  expect(await describePortOwner(3001, procOfCommand(...command), 1000)).toBe(
    `process 77 (${name}, in /opt/x)`,
  );
});

test.each([
  ['the process, where this account may see it', 3001, 1000, proc, 'process 77 (gates)'],
  ['that it is of another user, where it may not', 3002, 1000, proc, 'a program of another user (uid 70)'],
  ['nothing more, where it is one of ours that cannot be seen', 3002, 70, proc, 'another program'],
  ['nothing more, where nobody listens any more', 3003, 1000, proc, 'another program'],
  ['nothing more, where there is no /proc', 3001, undefined, procOf({}, {}), 'another program'],
])('the process that has a port is described by %s', async (_what, port, uid, files, words) => {
  expect(await describePortOwner(port, files, uid)).toBe(words);
});
