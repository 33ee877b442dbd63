import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Installs a package as root on Debian; elsewhere it does nothing. Throws an Error when apt-get fails.
 *
 * @param {string} name
 * @param {string} what it is, for whoever reads along
 * @returns {boolean} whether it was installed
 */
export function installDebianPackage(name, what) {
  const isDebian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
  if (process.getuid?.() !== 0 || !isDebian) return false;
  process.stderr.write(`Installing ${what} (Debian package "${name}")...\n`);
  apt('update');
  apt('install', '-y', '--no-install-recommends', name);
  return true;
}

function apt(...args) {
  const { status } = spawnSync('apt-get', args, {
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed; its messages are above.`);
}
