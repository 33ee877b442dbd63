/**
 * `npm run package` makes build/triagem-VERSION-PLATFORM.tar.gz for a machine without internet: the build, production
 * packages, Node, and a README. `npm run package -- --folder FOLDER` makes only the folder, without Node, for a container
 * image that has one.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './built.mjs';
import { ensureInstalled } from './installed.mjs';
import { ensureNode, PROJECT_MAJOR } from './node-releases.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

const HELP = `Usage: npm run package [-- --folder FOLDER]

Makes build/triagem-VERSION-PLATFORM.tar.gz: build, production packages, Node and a README, for a machine without internet.

  --folder FOLDER  make this folder alone, without Node; it must not be there yet
`;
/** The parts of the build that run in production. */
const BUILT = ['domain', 'board', 'desk', 'fleet', 'database', 'gates', 'server', 'web'];

async function main() {
  const { values } = parseArgs({
    options: { folder: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  if (values.folder !== undefined && existsSync(values.folder)) {
    throw new Error(`${values.folder} is there already. Name a folder that is not.`);
  }
  await ensureInstalled();
  await ensureBuilt();
  if (values.folder === undefined) await makeArchive();
  else makeFolder(resolve(values.folder));
}

/** Makes the folder under another name, and renames it when it is complete. */
function makeFolder(folder, node) {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(join(fresh, 'build'), { recursive: true });
  for (const name of BUILT)
    cpSync(join(ROOT, 'build', name), join(fresh, 'build', name), { recursive: true });
  for (const path of productionPackages()) {
    cpSync(join(ROOT, path), join(fresh, path), { recursive: true, verbatimSymlinks: true });
  }
  for (const part of ['deploy', 'venues']) cpSync(join(ROOT, part), join(fresh, part), { recursive: true });
  for (const name of ['triagem', 'README.md'])
    renameSync(join(fresh, 'deploy/package', name), join(fresh, name));
  for (const name of ['triagem.service', 'triagem@.service'])
    renameSync(join(fresh, 'deploy/package', name), join(fresh, 'deploy', name));
  rmSync(join(fresh, 'deploy/package'), { recursive: true });
  mkdirSync(join(fresh, 'docs'));
  for (const name of readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'))) {
    copyFileSync(join(ROOT, 'docs', name), join(fresh, 'docs', name));
  }
  for (const name of ['LICENSE', 'CHANGELOG.md', 'SECURITY.md'])
    copyFileSync(join(ROOT, name), join(fresh, name));
  const { name, version, license, type, engines } = manifest();
  const readme = join(fresh, 'README.md');
  writeFileSync(readme, readFileSync(readme, 'utf8').replaceAll('VERSION', version));
  writeFileSync(
    join(fresh, 'package.json'),
    `${JSON.stringify({ name, version, private: true, license, type, engines }, undefined, 2)}\n`,
  );
  if (node !== undefined) {
    copyFileSync(node, join(fresh, 'node'));
    chmodSync(join(fresh, 'node'), 0o755);
  }
  renameSync(fresh, folder);
}

async function makeArchive() {
  const { version } = manifest();
  const name = `triagem-${version}`;
  const staging = join(ROOT, 'build/.package');
  const archive = join(ROOT, 'build', `${name}-${process.platform}-${process.arch}.tar.gz`);
  const node = await ensureNode(PROJECT_MAJOR);
  rmSync(staging, { recursive: true, force: true });
  try {
    makeFolder(join(staging, name), node);
    process.stderr.write('Packing...\n');
    const args = ['--create', '--gzip', `--file=${archive}.new`, '--owner=0', '--group=0', '--numeric-owner'];
    const status = await runChild('tar', [...args, `--directory=${staging}`, '--sort=name', name], {
      cwd: ROOT,
    });
    if (status !== 0) throw new Error('tar failed; its messages are above.');
    renameSync(`${archive}.new`, archive);
  } finally {
    rmSync(`${archive}.new`, { force: true });
    rmSync(staging, { recursive: true, force: true });
  }
  process.stdout.write(`${archive} (${Math.round(statSync(archive).size / 1_000_000)} MB)\n`);
}

/** Returns the folders of production packages that are installed on this platform. */
function productionPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.keys(packages).filter(
    (path) =>
      /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && !packages[path].dev && existsSync(join(ROOT, path)),
  );
}

function manifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode ?? 1;
}
