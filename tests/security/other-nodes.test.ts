import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { listenLocally } from '../../testing/port.ts';
import { startProgram } from '../../testing/program.ts';

const OTHER_NODES = new URL('../../tools/other-nodes.mjs', import.meta.url);
const PACKAGE = `node-${process.platform}-${process.arch}`;
const VERSION = '24.21.0';

let folder: string;

beforeEach(() => {
  folder = makeTestFolder();
});

/** What the tests' runner is told when it asks for a Node 24 and keeps none yet. Resolves with its standard error. */
async function refusal(env: Record<string, string>): Promise<string> {
  const ask = `const { ensureNode } = await import(${JSON.stringify(OTHER_NODES.href)});
    console.log(await ensureNode(24, ${JSON.stringify(join(folder, 'nodes'))}));`;
  const { ended, stdout, stderr } = startProgram(process.execPath, ['--input-type=module', '-e', ask], {
    env: { npm_config_cache: join(folder, 'cache'), ...env },
  });
  expect(await ended, `it brought ${stdout()}`).not.toBe(0);
  expect(stdout()).toBe('');
  return stderr();
}

/** A package of this name and version that is not the one which is known, in a registry of its own. */
async function serveImpostor(): Promise<string> {
  const contents = makeTestFolder({
    'package/package.json': JSON.stringify({ name: PACKAGE, version: VERSION }),
    'package/bin/node': `#!/bin/sh\necho v${VERSION}\ntouch ${join(folder, 'it-ran')}\n`,
  });
  chmodSync(join(contents, 'package/bin/node'), 0o755);
  const tarball = join(folder, 'package.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', contents, 'package']);
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(bytes);
    const dist = { tarball: `http://${request.headers.host}/package.tgz`, integrity };
    const versions = { [VERSION]: { name: PACKAGE, version: VERSION, dist } };
    return response.end(JSON.stringify({ name: PACKAGE, 'dist-tags': { latest: VERSION }, versions }));
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listenLocally(server)}`;
}

test('a Node for the tests that npm cannot bring is a failure that says what to do', async () => {
  expect(await refusal({ npm_config_offline: 'true' })).toMatch(
    /npm could not install Node 24\.[\d.]+; .* set NODE_24_PATH/,
  );
});

test('one that is named must be there, and be a Node 24', async () => {
  const node = join(folder, 'node');
  expect(await refusal({ NODE_24_PATH: node })).toMatch(/is no Node 24 .*ENOENT/);
  writeFileSync(node, '#!/bin/sh\necho v18.0.0\n', { mode: 0o755 });
  expect(await refusal({ NODE_24_PATH: node })).toMatch(/is no Node 24 .*v18/);
  // What the loader says on a machine that lacks a library.
  writeFileSync(node, '#!/bin/sh\necho "libsome.so.1: cannot open shared object" >&2; exit 127\n');
  expect(await refusal({ NODE_24_PATH: node })).toMatch(/libsome\.so\.1: cannot open.*Install/);
});

test('one whose hash is another is neither run nor kept', async () => {
  const registry = await serveImpostor();
  expect(await refusal({ npm_config_registry: registry })).toMatch(/not the package whose hash/);
  expect(existsSync(join(folder, 'it-ran'))).toBe(false);
  expect(existsSync(join(folder, 'nodes', VERSION))).toBe(false);
});
