import { expect, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { isDiskFull } from './disk.ts';

const FULL =
  'ERROR:  could not extend file "base/16385/16401": No space left on device\nHINT:  Check free disk space.';
const PANIC = 'PANIC:  could not write to file "pg_wal/xlogtemp.70": No space left on device';
const CRASHED = 'LOG:  all server processes terminated; reinitializing';
const STOPPED =
  'LOG:  received fast shutdown request\nLOG:  shutting down\nLOG:  database system is shut down';
const READY = 'LOG:  database system is ready to accept connections';

test.each([
  ['has stopped on a full disk', true, [FULL, PANIC, CRASHED]],
  ['does not start again on it', true, [FULL, READY, PANIC]],
  ['is stopped after its disk was full', false, [FULL, STOPPED]],
  ['runs again, with space', false, [PANIC, CRASHED, READY]],
  ['was never on a full disk', false, [STOPPED]],
])('a server that %s: full is %s', async (_what, isFull, entries) => {
  // A log of a week: the file of today may be listed before that of yesterday.
  const atMs = Date.now();
  const files = entries.map((entry, n) => {
    const time = new Date(atMs + n).toISOString().replace('T', ' ').replace('Z', ' UTC');
    const lines = entry.split('\n').map((line) => `${time} [70] ${line}\n`);
    return [`cluster/log/postgresql-${9 - n}.log`, lines.join('')];
  });
  expect(await isDiskFull(makeTestFolder(Object.fromEntries(files)))).toBe(isFull);
});
