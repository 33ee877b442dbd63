import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';
import { installDebianPackages } from './system-programs.mjs';

/**
 * Node for Linux as npm brings it, and the SHA-512 of its packages: `node` is a choice of these, made by an install
 * script, which we do not run.
 */
const RELEASES = {
  22: {
    version: '22.23.3',
    x64: 'qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    arm64: 'l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
  24: {
    version: '24.21.0',
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
 * The path of a Node of this major version: the one that NODE_24_PATH names (for 24), else a release of its own in
 * build/, which npm brings if it is not there.
 *
 * @param {keyof typeof RELEASES} major
 * @param {string} folder where the releases are kept
 * @returns {Promise<string>}
 * @throws {Error} that says what to do, unless that Node runs on this machine
 */
export async function ensureNode(major, folder = join(ROOT, 'build/nodes')) {
  const setting = `NODE_${major}_PATH`;
  const named = process.env[setting];
  const { version } = RELEASES[major];
  const path = named || join(folder, version, 'node');
  if (!named && !existsSync(path)) await withLock(() => install(major, path, setting));
  const wanted = named ? `v${major}.` : `v${version}`;
  let output = versionOutput(path);
  // The one library that Node needs from 25 on and a bare Debian lacks.
  if (output.includes('libatomic.so.1') && installDebianPackages(['libatomic1'])) {
    output = versionOutput(path);
  }
  if (output.startsWith(wanted)) return path;
  throw new Error(
    `${path} is no Node ${major} that runs here: ${output}. Install what it lacks (libatomic.so.1: Debian's libatomic1), or set ${setting} to a Node ${major}.`,
  );
}

function versionOutput(path) {
  const { stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return error?.message ?? `${stdout}${stderr}`.trim();
}

async function install(major, path, setting) {
  if (existsSync(path)) return;
  const { version, ...hashes } = RELEASES[major];
  const platform = `${process.platform}-${process.arch}`;
  const wanted = process.platform === 'linux' && hashes[process.arch];
  if (!wanted) throw new Error(`No Node ${major} for ${platform} is known here. Set ${setting} to one.`);
  process.stderr.write(`Installing Node ${version} for the tests (npm package node-${platform})...\n`);
  const name = `node-${platform}`;
  const temporary = `${dirname(path)}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  try {
    // Not in package.json: npm has no optional packages for developers only, and a board must not bring three of them.
    const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];
    const args = ['install', '--prefix', temporary, ...options, `${name}@${version}`];
    if ((await runChild('npm', args, { cwd: temporary })) !== 0) {
      const fix = `Fix that, or set ${setting} to a Node ${major}.`;
      throw new Error(`npm could not install Node ${version}; its messages are above. ${fix}`);
    }
    const { packages } = JSON.parse(readFileSync(join(temporary, 'node_modules/.package-lock.json'), 'utf8'));
    if (packages[`node_modules/${name}`]?.integrity !== `sha512-${wanted}`) {
      throw new Error(`${name}@${version} is not the package whose hash is known here: not used.`);
    }
    mkdirSync(dirname(path), { recursive: true });
    renameSync(join(temporary, 'node_modules', name, 'bin/node'), path);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
