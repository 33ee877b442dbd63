import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const OTHER_NODES = new URL('../../tools/other-nodes.mjs', import.meta.url);
const PACKAGE = `node-${process.platform}-${process.arch}`;
const VERSION = '24.21.0';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'triagem-nodes-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the tests' runner is told when it asks for a Node 24 and keeps none yet. Resolves with its standard error. */
function refusal(env: Record<string, string>): Promise<string> {
  const ask = `const { ensureNode } = await import(${JSON.stringify(OTHER_NODES.href)});
    console.log(await ensureNode(24, ${JSON.stringify(join(folder, 'nodes'))}));`;
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--input-type=module', '-e', ask],
      { env: { PATH: process.env['PATH'] ?? '', npm_config_cache: join(folder, 'cache'), ...env } },
      (error, stdout, stderr) =>
        error && stdout === '' ? resolve(stderr) : reject(new Error(`it brought ${stdout}`)),
    );
  });
}

/** A package of this name and version that is not the one which is known, in a registry of its own. */
async function serveImpostor(): Promise<{ url: string; close: () => void }> {
  const contents = join(folder, 'package');
  mkdirSync(join(contents, 'bin'), { recursive: true });
  writeFileSync(join(contents, 'package.json'), JSON.stringify({ name: PACKAGE, version: VERSION }));
  writeFileSync(
    join(contents, 'bin/node'),
    `#!/bin/sh\necho v${VERSION}\ntouch ${join(folder, 'it-ran')}\n`,
    {
      mode: 0o755,
    },
  );
  const tarball = join(folder, 'package.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(bytes);
    const { port } = server.address() as AddressInfo;
    const dist = { tarball: `http://127.0.0.1:${port}/package.tgz`, integrity };
    const versions = { [VERSION]: { name: PACKAGE, version: VERSION, dist } };
    return response.end(JSON.stringify({ name: PACKAGE, 'dist-tags': { latest: VERSION }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

test('a Node for the tests that npm cannot bring is a failure that says what to do', async () => {
  expect(await refusal({ npm_config_offline: 'true' })).toMatch(
    /npm could not install Node 24\.[\d.]+; .* set NODE_24_PATH/,
  );
});

test('one that is named must be there, and be a Node 24', async () => {
  expect(await refusal({ NODE_24_PATH: join(folder, 'none') })).toMatch(/is no Node 24 .*ENOENT/);
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho v18.0.0\n', { mode: 0o755 });
  expect(await refusal({ NODE_24_PATH: join(folder, 'node') })).toMatch(/is no Node 24 .*v18/);
  // What the loader says on a machine that lacks a library.
  writeFileSync(
    join(folder, 'node'),
    '#!/bin/sh\necho "libsome.so.1: cannot open shared object" >&2; exit 127\n',
  );
  expect(await refusal({ NODE_24_PATH: join(folder, 'node') })).toMatch(
    /libsome\.so\.1: cannot open.*Install/,
  );
});

test('one whose hash is another is neither run nor kept', async () => {
  const registry = await serveImpostor();
  try {
    expect(await refusal({ npm_config_registry: registry.url })).toMatch(/not the package whose hash/);
  } finally {
    registry.close();
  }
  expect(existsSync(join(folder, 'it-ran'))).toBe(false);
  expect(existsSync(join(folder, 'nodes', VERSION))).toBe(false);
});
