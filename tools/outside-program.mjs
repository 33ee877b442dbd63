import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A program that no npm package brings. `setting` is the environment variable that may name it, `names` what it may be
 * called, `places` where it may be beside PATH.
 *
 * @typedef {{ title: string, setting?: string, names: string[], places: string[], debianPackage: string }} OutsideProgram
 */

/**
 * The one that its setting names, else one of this machine.
 *
 * @param {OutsideProgram} program
 * @returns {string | undefined} its absolute path
 * @throws {Error} when the setting names no program
 */
export function findProgram({ setting, names, places }) {
  const named = setting && process.env[setting];
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`${setting} is ${named}, which is no program that can be run.`);
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...places];
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .concat(places)
    .find(isProgram);
}

/**
 * As findProgram, for each; as root on Debian, those that are missing are installed first.
 *
 * @param {OutsideProgram[]} programs
 * @returns {Record<string, string>} the settings that name them
 * @throws {Error} that says what to install
 */
export function ensurePrograms(programs) {
  const missing = programs.filter((program) => !findProgram(program));
  if (missing.length > 0) installDebianPackages(missing.map(({ debianPackage }) => debianPackage));
  const settings = {};
  for (const program of programs) {
    const { title, setting, debianPackage } = program;
    const path = findProgram(program);
    if (!path) {
      throw new Error(
        `The tests need ${title}. Install it (on Debian: apt-get install ${debianPackage})${setting ? `, or set ${setting}` : ''}.`,
      );
    }
    if (setting) settings[setting] = path;
  }
  return settings;
}

/**
 * Installs them as root on Debian; elsewhere it does nothing.
 *
 * @param {string[]} packages
 * @returns {boolean} whether they were installed
 * @throws {Error} when apt-get fails
 */
export function installDebianPackages(packages) {
  const isDebian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
  if (process.getuid?.() !== 0 || !isDebian) return false;
  process.stderr.write(`Installing Debian packages: ${packages.join(', ')}...\n`);
  const allowServices = forbidServices();
  try {
    apt(['update']);
    apt(['install', '-y', '--no-install-recommends', ...packages]);
  } finally {
    allowServices();
  }
  return true;
}

/** A package may bring a service, as nginx does on port 80: programs are wanted, and nothing is started (policy-rc.d). */
function forbidServices() {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return () => {};
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(policy);
}

function apt(args) {
  const { status } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed; install the packages yourself.`);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
