import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { makeTestDisk } from '../../testing/database/disk.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { listenLocally } from '../../testing/server/port.ts';
import { type Program, startProgram } from '../../testing/server/program.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { until } from '../../testing/until.ts';

// Untyped: a script that runs before there is a build.
const { ensureNode } = (await import(pathToFileURL(join(PROJECT_ROOT, 'tools/node-releases.mjs')).href)) as {
  ensureNode: (major: number) => Promise<string>;
};
/** What tools/node.sh needs of the project where nothing is installed. */
const BEFORE_INSTALLATION = [
  '.node-version',
  ...['node.sh', 'bring-node.mjs', 'node-releases.mjs', 'lock.mjs', 'root.mjs', 'run-child.mjs'].map(inTools),
  inTools('system-programs.mjs'),
];
const VERSION = readFileSync(join(PROJECT_ROOT, '.node-version'), 'utf8').trim();
const MAJOR = Number.parseInt(VERSION, 10);
const PACKAGE = `node-${process.platform}-${process.arch}`;

/** Of this machine, or brought once into build/nodes. */
let node20: string;
let projectNode: string;
/** A copy of the project where nothing is installed. */
let project: string;

beforeAll(async () => {
  node20 = await ensureNode(20);
  projectNode = await ensureNode(MAJOR);
});

beforeEach(() => {
  project = makeTestFolder();
  copyProject(project);
});

function inTools(name: string): string {
  return `tools/${name}`;
}

function copyProject(folder: string): void {
  for (const path of BEFORE_INSTALLATION) cpSync(join(PROJECT_ROOT, path), join(folder, path));
}

/** A script in place of Node: it has a version, and prints `name` and its arguments otherwise. */
function standIn(name: string, version: string): string {
  return `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo ${name} "$@"; fi\n`;
}

function writeProgram(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o755 });
}

/** A folder of PATH with this Node and nothing beside it. */
function folderWith(node: string): string {
  const folder = makeTestFolder();
  symlinkSync(node, join(folder, 'node'));
  return folder;
}

const ownNode = (): string => join(project, 'build/nodes', VERSION, 'node');

/** `sh tools/node.sh …args` in the copy of the project; `path`: the folder that is first on PATH. */
function run(args: readonly string[], path: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('sh', [join(project, 'tools/node.sh'), ...args], {
    cwd: project,
    env: { PATH: `${path}:${process.env['PATH']}`, npm_config_cache: join(project, 'cache'), ...env },
  });
}

async function output({ ended, stdout, stderr }: Program): Promise<string> {
  expect(await ended, stderr()).toBe(0);
  return stdout();
}

/** What it says where it runs nothing: one sentence. */
async function refusal({ ended, stdout, stderr }: Program): Promise<string> {
  expect(await ended, stdout()).toBe(1);
  expect(stdout()).toBe('');
  const sentence = stderr().replace(/^Installing Node .*\n/, '');
  expect(sentence).toMatch(/^[^\n]+\n$/);
  return sentence;
}

describe('the Node that is chosen', () => {
  test.each([
    ['v22.12.0', [], 'found'],
    ['v23.0.0', [], 'found'],
    ['v26.10.0', [], 'found'],
    ['v22.11.9', [], 'own'],
    ['v20.20.2', [], 'own'],
    ['v8.0.0', [], 'own'],
    ['nonsense', [], 'own'],
    [`v${MAJOR}.0.0`, ['--project'], 'found'],
    ['v22.23.3', ['--project'], 'own'],
    ['v26.10.0', ['--project'], 'own'],
  ])('with Node %s on PATH and options %j it is the %s one', async (version, options, chosen) => {
    const path = makeTestFolder();
    writeProgram(join(path, 'node'), standIn('found', version));
    writeProgram(ownNode(), standIn('own', `v${VERSION}`));
    expect(await output(run([...options, '-e', 'a  b'], path))).toBe(`${chosen} -e a  b\n`);
  });

  test('is the same process, first on the PATH of what it starts, and gets its signals', async () => {
    mkdirSync(dirname(ownNode()), { recursive: true });
    symlinkSync(projectNode, ownNode());
    const script = `const { execFileSync } = require('node:child_process');
      process.on('SIGINT', () => process.exit(7));
      console.log(process.pid, process.version, String(execFileSync('node', ['--version'])));
      setInterval(() => undefined, 1_000);`;
    for (const [signal, end] of [
      ['SIGINT', 7],
      ['SIGKILL', 'SIGKILL'],
    ] as const) {
      const program = run(['-e', script], folderWith(node20));
      const said = `${program.child.pid} v${VERSION} v${VERSION}\n\n`;
      await until(() => expect(program.stdout(), program.stderr()).toBe(said));
      expect(await program.end(signal)).toBe(end);
    }
  });

  test("is the project's where none is on PATH", async () => {
    writeProgram(ownNode(), standIn('own', `v${VERSION}`));
    const path = makeTestFolder();
    for (const name of ['sh', 'dirname']) symlinkSync(`/usr/bin/${name}`, join(path, name));
    expect(await output(run(['-v'], path, { PATH: path }))).toBe('own -v\n');
    writeProgram(ownNode(), 'half of a downloa');
    expect(await refusal(run(['-v'], path, { PATH: path }))).toBe(
      'Install Node 22.12 or newer: none is on PATH.\n',
    );
  });
});

describe('with Node 20 on PATH and nothing installed', () => {
  const path = (): string => folderWith(node20);

  test("two that start at once bring the project's Node once, over what is left of a download", async () => {
    writeProgram(ownNode(), 'half of a downloa');
    writeProgram(`${dirname(ownNode())}.new/node_modules/old`, '');
    const registry = await serveNode(standIn('own', `v${VERSION}`), { isKnown: true });
    const programs = [run(['-v'], path(), registry.env), run(['-v'], path(), registry.env)];
    for (const program of programs) expect(await output(program)).toBe('own -v\n');
    expect(registry.downloads()).toBe(1);
    expect(readdirSync(join(project, 'build/nodes'))).toEqual([VERSION]);
  });

  test('a Node whose hash is another is neither run nor kept', async () => {
    const { env } = await serveNode(`${standIn('own', `v${VERSION}`)}\ntouch ${join(project, 'it-ran')}\n`);
    expect(await refusal(run([], path(), env))).toMatch(/not the package whose hash/);
    expect(existsSync(join(project, 'it-ran'))).toBe(false);
    expect(readdirSync(join(project, 'build/nodes'))).toEqual([]);
  });

  test('a Node that does not run here, as with another libc, is not kept, and one sentence says what to do', async () => {
    const { env } = await serveNode('#!/lib/ld-of-another-libc\n', { isKnown: true });
    expect(await refusal(run([], path(), env))).toMatch(
      /^Install Node 22\.12 or newer: this is v20\..* does not run: .*ENOENT/,
    );
    expect(readdirSync(join(project, 'build/nodes'))).toEqual([]);
  });

  test('without a network one sentence says what to do', async () => {
    const offline = { npm_config_offline: 'true' };
    expect(await refusal(run([], path(), offline))).toMatch(
      /^Install Node 22\.12 or newer: this is v20\..*npm could not install .*no cached response/,
    );
    expect(await refusal(run(['--project'], path(), offline))).toMatch(/^Install Node 24: /);
  });

  test('without npm one sentence says what to do', async () => {
    const without = makeTestFolder();
    for (const name of ['sh', 'dirname']) symlinkSync(`/usr/bin/${name}`, join(without, name));
    symlinkSync(node20, join(without, 'node'));
    expect(await refusal(run([], without, { PATH: without }))).toMatch(
      /^Install Node 22\.12 or newer: .*npm is not on PATH/,
    );
  });

  test('on a platform for which there is no package one sentence says what to do', async () => {
    const releases = join(project, 'tools/node-releases.mjs');
    writeFileSync(releases, readFileSync(releases, 'utf8').replaceAll(/^ +(x64|arm64): .*$/gm, ''));
    expect(await refusal(run([], path()))).toMatch(
      /^Install Node 22\.12 or newer: .*no package node-\S+ of Node/,
    );
  });

  test('a service, which cannot write there, installs nothing', async () => {
    const disk = await makeTestDisk({ megabytes: 10 });
    copyProject(disk.seenFromOutside);
    await disk.setReadOnly(true);
    const [, ...enter] = disk.enter;
    const program = startProgram('nsenter', [...enter, 'sh', join(disk.folder, 'tools/node.sh'), '-v'], {
      env: { PATH: `${path()}:${process.env['PATH']}` },
    });
    expect(await refusal(program)).toMatch(
      /^Install Node 22\.12 or newer: .*build cannot be written here \(EROFS/,
    );
  });
});

test('one version stands everywhere', () => {
  const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
  expect(read('Containerfile')).toContain(`=node:${VERSION}-slim\n`);
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  expect(`wanted='${engines.node.replace(/^>=(\d+\.\d+)\.0$/, '$1')} or newer'`).toBe(
    /^wanted='.*$/m.exec(read('tools/node.sh'))?.[0],
  );
});

interface Registry {
  /** The settings with which npm asks it. */
  readonly env: Readonly<Record<string, string>>;
  readonly downloads: () => number;
}

/** A registry with a package of the project's Node that has this program. `isKnown`: the copy of the project has its hash. */
async function serveNode(program: string, { isKnown = false } = {}): Promise<Registry> {
  const manifest = { name: PACKAGE, version: VERSION };
  const contents = makeTestFolder({
    'package/package.json': JSON.stringify(manifest),
    'package/bin/node': program,
  });
  chmodSync(join(contents, 'package/bin/node'), 0o755);
  const tarball = join(contents, 'package.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', contents, 'package']);
  const bytes = readFileSync(tarball);
  const hash = createHash('sha512').update(bytes).digest('base64');
  if (isKnown) {
    const releases = join(project, 'tools/node-releases.mjs');
    writeFileSync(releases, readFileSync(releases, 'utf8').replaceAll(/'[\w+/]{86}=='/g, `'${hash}'`));
  }
  let downloads = 0;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) {
      downloads += 1;
      return response.end(bytes);
    }
    const dist = { tarball: `http://${request.headers.host}/package.tgz`, integrity: `sha512-${hash}` };
    const versions = { [VERSION]: { ...manifest, dist } };
    return response.end(JSON.stringify({ name: PACKAGE, 'dist-tags': { latest: VERSION }, versions }));
  });
  onTestFinished(() => void server.close());
  const env = { npm_config_registry: `http://127.0.0.1:${await listenLocally(server)}` };
  return { env, downloads: () => downloads };
}
