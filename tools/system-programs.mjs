import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A program that no npm package contains. `names` are its possible names on PATH and in FOLDERS; the environment variable
 * `setting` may name it instead. `readable` marks a library, which is loaded and not run.
 *
 * @typedef {{ names: string[], debianPackage: string, setting?: string, readable?: boolean }} SystemProgram
 */

/** Folders of programs that may not be on PATH. */
const FOLDERS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
  '/usr/lib/chromium',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
  '/usr/lib/x86_64-linux-gnu/faketime',
  '/usr/lib/aarch64-linux-gnu/faketime',
  '/usr/lib64/faketime',
];

/** @type {SystemProgram} The browser of screens on walls, and of the benchmarks. */
const CHROMIUM = {
  names: [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'Google Chrome',
    'Chromium',
  ],
  debianPackage: 'chromium',
  setting: 'CHROMIUM_PATH',
};
/**
 * @type {SystemProgram} The browser of most tests. The headless shell lacks windows, menus and settings, which take as much
 * processor time as the page; a Chromium is the fallback.
 */
const HEADLESS_CHROMIUM = {
  names: ['chromium-headless-shell', 'chrome-headless-shell', ...CHROMIUM.names],
  debianPackage: 'chromium-headless-shell',
  setting: 'HEADLESS_CHROMIUM_PATH',
};
/** @type {SystemProgram} */
const NGINX = { names: ['nginx'], debianPackage: 'nginx-light', setting: 'NGINX_PATH' };
/** @type {SystemProgram} */
const NATS_SERVER = { names: ['nats-server'], debianPackage: 'nats-server', setting: 'NATS_SERVER_PATH' };
/** @type {SystemProgram} */
const PGBOUNCER = { names: ['pgbouncer'], debianPackage: 'pgbouncer', setting: 'PGBOUNCER_PATH' };
/** @type {SystemProgram} */
const OPENSSL = { names: ['openssl'], debianPackage: 'openssl' };
/** @type {SystemProgram[]} Of hosts in network namespaces, which only root can make (testing/fleet/hosts.ts). */
const HOST_PROGRAMS = [
  { names: ['ip'], debianPackage: 'iproute2' },
  { names: ['tc'], debianPackage: 'iproute2' },
  { names: ['nsenter'], debianPackage: 'util-linux' },
  { names: ['socat'], debianPackage: 'socat' },
];
/** @type {SystemProgram[]} Used on Linux only (testing/database/database-clock.ts, testing/fleet/nats-server.ts). */
const LINUX_ONLY =
  process.platform === 'linux'
    ? [
        {
          names: ['libfaketime.so.1'],
          debianPackage: 'libfaketime',
          setting: 'LIBFAKETIME_PATH',
          readable: true,
        },
        { names: ['setpriv'], debianPackage: 'util-linux' },
        ...(process.getuid?.() === 0 ? HOST_PROGRAMS : []),
      ]
    : [];
const TEST_PROGRAMS = [
  HEADLESS_CHROMIUM,
  CHROMIUM,
  NGINX,
  PGBOUNCER,
  NATS_SERVER,
  OPENSSL,
  { names: ['prometheus'], debianPackage: 'prometheus', setting: 'PROMETHEUS_PATH' },
  { names: ['promtool'], debianPackage: 'prometheus', setting: 'PROMTOOL_PATH' },
  { names: ['curl'], debianPackage: 'curl' },
  { names: ['pgrep'], debianPackage: 'procps' },
  ...LINUX_ONLY,
];

/** Returns the path of the benchmarks' browser, or undefined. */
export function findChromium() {
  return findProgram(CHROMIUM);
}

/** Returns the path of the benchmarks' NATS server, or undefined. */
export function findNatsServer() {
  return findProgram(NATS_SERVER);
}

/** @returns the settings that name the programs of the tests */
export function ensureTestPrograms() {
  return ensurePrograms('The tests need', TEST_PROGRAMS);
}

/** @returns the settings that name the programs of `npm run demo:fleet` */
export function ensureFleetPrograms() {
  return ensurePrograms('Many machines need', [NATS_SERVER, NGINX]);
}

/** @returns the settings that name the programs of `npm run soak -- --fleet` */
export function ensureSoakPrograms() {
  return ensurePrograms('A soak of many machines needs', [NATS_SERVER, NGINX, OPENSSL, ...LINUX_ONLY]);
}

/**
 * Finds programs. As root on Debian, it installs missing ones first.
 *
 * @param {string} whoNeeds
 * @param {readonly SystemProgram[]} programs
 * @returns {Record<string, string>} the settings that name them
 * @throws {Error} with the packages to install
 */
function ensurePrograms(whoNeeds, programs) {
  const missing = programs.filter((program) => !findProgram(program));
  if (missing.length > 0) installDebianPackages(missing.map(({ debianPackage }) => debianPackage));
  const found = programs.map((program) => [program, findProgram(program)]);
  const absent = found.filter(([, path]) => !path).map(([program]) => program);
  if (absent.length > 0) {
    const settings = absent.flatMap(({ setting }) => setting ?? []).join(', ');
    throw new Error(
      `${whoNeeds} ${absent.map(({ names }) => names[0]).join(', ')}. ` +
        `Install them (on Debian: apt-get install ${absent.map(({ debianPackage }) => debianPackage).join(' ')})` +
        `${settings && `, or name them in ${settings}`}.`,
    );
  }
  return Object.fromEntries(found.flatMap(([{ setting }, path]) => (setting ? [[setting, path]] : [])));
}

/**
 * Finds the program of the setting, else one of this machine.
 *
 * @param {SystemProgram} program
 * @returns {string | undefined} its absolute path
 * @throws {Error} when the setting names no program
 */
function findProgram({ names, setting, readable = false }) {
  const mode = readable ? constants.R_OK : constants.X_OK;
  const named = setting && process.env[setting];
  if (named && !isFile(named, mode)) {
    throw new Error(`${setting} is ${named}, which is no file that can be ${readable ? 'read' : 'run'}.`);
  }
  if (named) return named;
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...FOLDERS];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => isFile(path, mode));
}

function isFile(path, mode) {
  try {
    accessSync(path, mode);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * As root on Debian, installs packages without starting their services; otherwise does nothing.
 *
 * @param {string[]} packages
 * @returns {boolean} whether they were installed
 * @throws {Error} when apt-get fails
 */
export function installDebianPackages(packages) {
  const isDebian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
  if (process.getuid?.() !== 0 || !isDebian) return false;
  const install = `apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends ${packages.join(' ')}`;
  process.stderr.write(`Installing Debian packages: ${packages.join(', ')}...\n`);
  const policy = '/usr/sbin/policy-rc.d';
  const forbidsServices = existsSync(policy);
  if (!forbidsServices) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const { status } = spawnSync('sh', ['-c', `apt-get -o DPkg::Lock::Timeout=300 update && ${install}`], {
      stdio: ['ignore', process.stderr.fd, process.stderr.fd],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) throw new Error(`"${install}" failed; its messages are above.`);
  } finally {
    if (!forbidsServices) rmSync(policy);
  }
  return true;
}
