import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { makeTestFolder } from '../folder.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/**
 * The last commit before the present content of these folders. In a folder without history, as of an archive or a shallow clone,
 * it returns `undefined`, and prints how to get the history.
 */
export function findFormerCommit(folders: readonly string[]): string | undefined {
  try {
    const isChanged = git('status', '--porcelain', '--', ...folders) !== '';
    const last = git('log', '-1', '--format=%H', '--', ...folders);
    return git('rev-parse', '--verify', '--quiet', isChanged ? last : `${last}^`);
  } catch {
    const fix = 'clone the project whole, or "git fetch --unshallow"';
    process.stderr.write(`No upgrade is tested: there is no history here; ${fix}\n`);
    return undefined;
  }
}

/** Builds a commit with its packages in a folder of the test; returns its server as `ServerOptions.script`. */
export function buildCommit(hash: string): string {
  const folder = makeTestFolder();
  const archive = join(folder, 'commit.tar');
  git('archive', '--format=tar', `--output=${archive}`, hash);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  if (readLockFile(folder) === readLockFile(PROJECT_ROOT)) {
    symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  } else {
    const options = ['--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['ci', ...options], { cwd: folder });
  }
  execFileSync(process.execPath, [join(folder, 'tools/build.mjs')], { cwd: folder });
  return relative(PROJECT_ROOT, join(folder, 'build/server/start.js'));
}

function readLockFile(folder: string): string {
  return readFileSync(join(folder, 'package-lock.json'), 'utf8');
}

function git(...args: readonly string[]): string {
  // The folder may belong to another account.
  const options = ['-c', 'safe.directory=*', ...args];
  return execFileSync('git', options, { cwd: PROJECT_ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
}
