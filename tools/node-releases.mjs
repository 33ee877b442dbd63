import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';
import { installDebianPackages } from './system-programs.mjs';

const PROJECT_VERSION = readFileSync(join(ROOT, '.node-version'), 'utf8').trim();
/** The major version for the tests, the archive and the container image. */
export const PROJECT_MAJOR = Number.parseInt(PROJECT_VERSION, 10);

/**
 * Packages of Node for Linux on npm, with their SHA-512. The package `node` would choose one of them by an install script,
 * which is not run here.
 */
const RELEASES = {
  // tools/bring-node.mjs is tested on it; nothing else runs there.
  20: {
    version: '20.20.2',
    x64: 'PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    arm64: 'LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
  },
  22: {
    version: '22.23.3',
    x64: 'qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    arm64: 'l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
  [PROJECT_MAJOR]: {
    version: PROJECT_VERSION,
    x64: '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  26: {
    version: '26.10.0',
    x64: 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    arm64: 'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
};

/**
 * Returns the path of a Node of this major version in build/nodes, and installs it from npm if it is missing.
 *
 * @param {number} major a key of RELEASES
 * @returns {Promise<string>}
 * @throws {Error} with the reason why that Node cannot be installed, or does not run
 */
export async function ensureNode(major) {
  const release = RELEASES[major];
  const path = join(ROOT, 'build/nodes', release.version, 'node');
  const isThere = () => versionOutput(path) === `v${release.version}`;
  if (!isThere()) await withLock(() => isThere() || install(release, path));
  return path;
}

/** Moves only a Node that has the known hash, and runs, to `path`. */
async function install({ version, ...hashes }, path) {
  const name = `node-${process.platform}-${process.arch}`;
  const hash = process.platform === 'linux' ? hashes[process.arch] : undefined;
  if (hash === undefined) throw new Error(`no package ${name} of Node ${version} is known.`);
  process.stderr.write(`Installing Node ${version} (npm package ${name})...\n`);
  const temporary = `${dirname(path)}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  try {
    await installPackage(`${name}@${version}`, temporary);
    const { packages } = JSON.parse(readFileSync(join(temporary, 'node_modules/.package-lock.json'), 'utf8'));
    if (packages[`node_modules/${name}`]?.integrity !== `sha512-${hash}`) {
      throw new Error(`${name}@${version} is not the package whose hash is known here: not used.`);
    }
    const brought = join(temporary, 'node_modules', name, 'bin/node');
    chmodSync(brought, 0o755);
    let output = versionOutput(brought);
    // Node needs this library from 25 on, and a minimal Debian lacks it.
    if (output.includes('libatomic.so.1') && installDebianPackages(['libatomic1'])) {
      output = versionOutput(brought);
    }
    if (output !== `v${version}`) throw new Error(`${name}@${version} does not run: ${output}`);
    mkdirSync(dirname(path), { recursive: true });
    renameSync(brought, path);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** These packages are not in package.json: npm has no optional development packages, and production needs none of them. */
async function installPackage(specifier, folder) {
  const log = join(folder, 'npm.log');
  const output = openSync(log, 'w');
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];
  // Without a network, npm's default pauses between attempts exceed a minute.
  const args = ['install', '--prefix', folder, ...options, '--fetch-retry-mintimeout=1000', specifier];
  try {
    if ((await runChild('npm', args, { cwd: folder, stdio: ['ignore', output, output] })) === 0) return;
  } catch (error) {
    throw error.code === 'ENOENT' ? new Error('npm is not on PATH.') : error;
  } finally {
    closeSync(output);
  }
  const [, reason] = /^npm error (?!code|errno|syscall|path)(.+)$/m.exec(readFileSync(log, 'utf8')) ?? [];
  throw new Error(`npm could not install ${specifier}: ${reason ?? 'it failed without a message'}`);
}

/** Returns the output of `path --version`, or the reason of its failure. */
function versionOutput(path) {
  const { stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return error?.message ?? `${stdout}${stderr}`.trim();
}
