import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

/**
 * Whether node_modules matches package-lock.json. Packages for other platforms may be missing; with `production`, so may
 * those that only a build needs.
 *
 * @param {{ production?: boolean }} [options]
 */
export function isInstalled({ production = false } = {}) {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  if (!wanted || !present) return false;
  const isLacking = ([path, entry]) => {
    if (path === '' || (production && entry.dev)) return false;
    const found = present[path];
    if (!found) return !entry.optional;
    const isOtherFile = entry.integrity !== undefined && found.integrity !== entry.integrity;
    return found.version !== entry.version || isOtherFile;
  };
  return !Object.entries(wanted).some(isLacking);
}

/** Runs `npm ci` unless node_modules matches the lock file. @throws {Error} when npm fails */
export async function ensureInstalled() {
  if (!isInstalled()) await withLock(install);
}

async function install() {
  if (isInstalled()) return;
  process.stderr.write('Installing packages (npm ci)...\n');
  // All output goes to stderr, since stdout belongs to the program that is launched.
  const args = ['ci', '--include=dev', '--loglevel=error'];
  const status = await runChild('npm', args, { cwd: ROOT }).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('npm could not be started. Install npm, or run "npm ci" yourself.');
  });
  if (status !== 0) throw new Error('npm ci failed; its messages are above.');
}

/** @returns {Record<string, { version?: string, integrity?: string, optional?: boolean, dev?: boolean }> | undefined} */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}
