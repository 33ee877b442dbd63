import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listServedFiles } from '../../board/http/static-files.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { rawRequest, sendRaw } from '../../testing/server/raw-client.ts';
import { startTestServer } from '../../testing/server/test-server.ts';

const SECRET = 'nobody-gets-this-file';

const server = openForAll(async () => {
  const folder = makeTestFolder({
    'secret.txt': SECRET,
    'outside/deep.js': SECRET,
    'web/index.html': 'the page',
    'web/secret.js': SECRET,
    'web/static/js/index.0123456789.js': 'served',
    'web/static/js/plain.js': 'served',
    'web/static/js/plain.js.gz': 'compressed',
    'web/static/js/linked.js': 'not served: its compressed form is a link',
    'web/static/js/a:b.js': SECRET,
    'web/static/js/index.0123456789.js.map': SECRET,
    'web/static/.env': SECRET,
    'web/static/.git/config': SECRET,
  });
  const webRoot = join(folder, 'web');
  symlinkSync(join(folder, 'secret.txt'), join(webRoot, 'static/link.js'));
  symlinkSync('../../secret.js', join(webRoot, 'static/js/link.js'));
  symlinkSync(join(folder, 'secret.txt'), join(webRoot, 'static/js/linked.js.br'));
  symlinkSync(join(folder, 'outside'), join(webRoot, 'static/folder'));
  return startTestServer(await createTestDatabase(), {}, { webRoot });
});

async function get(path: string, encoding = ''): Promise<{ status: number | undefined; text: string }> {
  const bytes = rawRequest('GET', path, { 'accept-encoding': encoding, connection: 'close' });
  const client = await sendRaw(server.url, bytes, { stays: true });
  return { status: client.statuses()[0], text: client.text() };
}

test('a file of the build is served, and may be cached for a year if its name has a hash', async () => {
  const hashed = await get('/static/js/index.0123456789.js');
  expect(hashed.status).toBe(200);
  expect(hashed.text).toMatch(/cache-control: public, max-age=31536000, immutable/);
  const plain = await get('/static/js/plain.js');
  expect(plain.text).toMatch(/cache-control: no-cache/);
  expect(plain.text).toMatch(/served$/);
});

test('clients that accept compression get the compressed form of a file, which has no URL of its own', async () => {
  const taken = await get('/static/js/plain.js', 'gzip');
  expect(taken.text).toMatch(/content-encoding: gzip/);
  expect(taken.text).toMatch(/content-type: (text|application)\/javascript/);
  expect(taken.text).toMatch(/vary: accept-encoding/i);
  expect(taken.text).toMatch(/compressed$/);
  expect((await get('/static/js/plain.js.gz')).status).toBe(404);
  const linked = await get('/static/js/linked.js', 'br');
  expect(linked.status).toBe(404);
  expect(linked.text).not.toContain(SECRET);
});

test('the build has no source map, no hidden file and no link', () => {
  const served = listServedFiles(join(PROJECT_ROOT, 'build/web/static'));
  expect(served.length).toBeGreaterThan(4);
  for (const path of served)
    expect(path).toMatch(/^(js|css|font|image)\/[\w./-]+\.(js|css|woff2|svg|png|txt)$/);
});

test.each([
  ['a symbolic link', '/static/link.js'],
  ['a relative symbolic link', '/static/js/link.js'],
  ['a linked folder', '/static/folder/deep.js'],
  ['a source map', '/static/js/index.0123456789.js.map'],
  ['a hidden file', '/static/.env'],
  ['a hidden folder', '/static/.git/config'],
  ['a file whose name a route would take for a parameter', '/static/js/anyb.js'],
  ['a path that leaves the folder', '/static/../secret.js'],
  ['a path that leaves the folder, with encoded dots', '/static/%2e%2e/secret.js'],
  ['a path that leaves the folder, with encoded slashes', '/static%2f%2e%2e%2fsecret.js'],
  ['a path that leaves the folder, encoded twice', '/static/%252e%252e/secret.js'],
  ['a path that leaves the folder by a backslash', '/static/..\\secret.js'],
  ['a path that leaves the folder by an encoded backslash', '/static/..%5csecret.js'],
  ['a path that leaves the folder in overlong UTF-8', '/static/%c0%ae%c0%ae/secret.js'],
  ['a path that leaves the folder from a file', '/static/js/plain.js/../../../secret.js'],
  ['a file with a NUL', '/static/js/plain.js%00.map'],
  ['a path with matrix parameters', '/static/js/..;/..;/secret.js'],
  ['an absolute path', '/static//etc/passwd'],
  ['an absolute address', 'http://x/static/../secret.js'],
  ['a doubled slash', '//static//../secret.js'],
  ['a folder', '/static/js'],
  ['a folder with a slash', '/static/js/'],
])('nobody gets %s', async (_what, path) => {
  const { status, text } = await get(path);
  expect([400, 404]).toContain(status);
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain('root:');
});
