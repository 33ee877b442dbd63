import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A program that no npm package brings. `setting` is the environment variable that may name it, `names` what it may be
 * called, `folders` where it may be beside PATH, `paths` what it may be instead, `otherwise` what does in its place. A
 * library is loaded, not run.
 *
 * @typedef {{ title: string, setting?: string, names: string[], folders?: string[], paths?: string[], debianPackage: string, isLibrary?: boolean, otherwise?: SystemProgram }} SystemProgram
 */

/** @type {SystemProgram} The browser of a screen on a wall, and that of the benchmarks. */
const CHROMIUM = {
  title: 'Chromium',
  setting: 'CHROMIUM_PATH',
  names: [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'chrome',
    'microsoft-edge',
  ],
  folders: ['/usr/bin', '/usr/lib/chromium', '/snap/bin', '/opt/google/chrome'],
  paths: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  debianPackage: 'chromium',
};

/**
 * @type {SystemProgram} The browser that the tests open pages in: Chromium without the windows, menus and settings around a
 * page, which take as much of a processor as the page, seen or not.
 */
const HEADLESS_CHROMIUM = {
  title: 'Chromium without its windows',
  setting: 'HEADLESS_CHROMIUM_PATH',
  names: ['chromium-headless-shell', 'chrome-headless-shell'],
  folders: CHROMIUM.folders,
  debianPackage: 'chromium-headless-shell',
  otherwise: CHROMIUM,
};

const SERVERS = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** @type {SystemProgram} */
const NGINX = {
  title: 'nginx',
  setting: 'NGINX_PATH',
  names: ['nginx'],
  folders: SERVERS,
  debianPackage: 'nginx-light',
};

/** @type {SystemProgram} Sets the clock of a test's PostgreSQL. */
const LIBFAKETIME = {
  title: 'libfaketime',
  setting: 'LIBFAKETIME_PATH',
  names: ['libfaketime.so.1'],
  folders: ['x86_64-linux-gnu', 'aarch64-linux-gnu', '.'].flatMap((folder) => [
    join('/usr/lib', folder, 'faketime'),
    join('/usr/lib64', folder, 'faketime'),
  ]),
  debianPackage: 'libfaketime',
  isLibrary: true,
};

/** @type {SystemProgram} What counters and edges meet at. */
const NATS_SERVER = {
  title: 'nats-server',
  setting: 'NATS_SERVER_PATH',
  names: ['nats-server'],
  folders: SERVERS,
  debianPackage: 'nats-server',
};

/** @type {SystemProgram} */
const OPENSSL = { title: 'OpenSSL', names: ['openssl'], debianPackage: 'openssl' };

/** @type {SystemProgram[]} Elsewhere nothing ends with its parent (testing/nats-server.ts). */
const SETPRIV =
  process.platform === 'linux' ? [{ title: 'setpriv', names: ['setpriv'], debianPackage: 'util-linux' }] : [];

/** @type {SystemProgram[]} What the tests run: the screen's browser, and what stands around a board on a wall. */
const TEST_PROGRAMS = [
  CHROMIUM,
  HEADLESS_CHROMIUM,
  NGINX,
  {
    title: 'PgBouncer',
    setting: 'PGBOUNCER_PATH',
    names: ['pgbouncer'],
    folders: SERVERS,
    debianPackage: 'pgbouncer',
  },
  NATS_SERVER,
  { title: 'curl', names: ['curl'], debianPackage: 'curl' },
  { title: 'pgrep', names: ['pgrep'], debianPackage: 'procps' },
  OPENSSL,
  // Elsewhere nothing is preloaded (testing/database-clock.ts).
  ...(process.platform === 'linux' ? [LIBFAKETIME] : []),
  ...SETPRIV,
];

/** The path of the browser that tests and benchmarks drive; `undefined` where there is none. */
export function findChromium() {
  return findProgram(CHROMIUM);
}

/** The path of the NATS server that the benchmarks run; `undefined` where there is none. */
export function findNatsServer() {
  return findProgram(NATS_SERVER);
}

/**
 * Finds what the tests run; as root on Debian, what is missing is installed first.
 *
 * @returns {Record<string, string>} the settings that name them
 * @throws {Error} that says what to install
 */
export function ensureTestPrograms() {
  return ensurePrograms('The tests need', TEST_PROGRAMS);
}

/**
 * Finds what `npm run demo:fleet` runs beside Triagem; as root on Debian, a missing nats-server is installed first.
 *
 * @returns {Record<string, string>} the settings that name them: NGINX_PATH only where there is one
 * @throws {Error} that says what to install
 */
export function ensureFleetPrograms() {
  const nginx = findProgram(NGINX);
  return { ...ensurePrograms('Many machines need', [NATS_SERVER]), ...(nginx && { NGINX_PATH: nginx }) };
}

/**
 * Finds what `npm run soak -- --fleet` runs beside Triagem; as root on Debian, what is missing is installed first.
 *
 * @returns {Record<string, string>} the settings that name them
 * @throws {Error} that says what to install
 */
export function ensureSoakPrograms() {
  return ensurePrograms('A soak of many machines needs', [NATS_SERVER, NGINX, OPENSSL, ...SETPRIV]);
}

/**
 * @param {string} whoNeeds
 * @param {readonly SystemProgram[]} programs
 */
function ensurePrograms(whoNeeds, programs) {
  const missing = programs.filter((program) => !findProgram(program));
  const packagesOf = (some) => some.map(({ debianPackage }) => debianPackage);
  if (missing.length > 0) {
    const optional = missing.filter(({ otherwise }) => otherwise);
    const needed = missing.filter((program) => !optional.includes(program));
    installDebianPackages(packagesOf(needed), packagesOf(optional));
  }
  /** @type {Record<string, string>} */
  const settings = {};
  for (const program of programs) {
    const { title, setting, debianPackage, otherwise } = program;
    const path = findProgram(program) ?? (otherwise && findProgram(otherwise));
    if (!path) {
      const fix = `Install it (on Debian: apt-get install ${debianPackage})${setting ? `, or set ${setting}` : ''}.`;
      throw new Error(`${whoNeeds} ${title}. ${fix}`);
    }
    if (setting) settings[setting] = path;
  }
  return settings;
}

/**
 * The program that its setting names, else one of this machine.
 *
 * @param {SystemProgram} program
 * @returns {string | undefined} its absolute path
 * @throws {Error} when the setting names no program
 */
function findProgram({ setting, names, folders = [], paths = [], isLibrary = false }) {
  const mode = isLibrary ? constants.R_OK : constants.X_OK;
  const isThere = (path) => isFile(path, mode);
  const named = setting && process.env[setting];
  if (named && !isThere(named)) {
    const what = isLibrary ? 'library that can be read' : 'program that can be run';
    throw new Error(`${setting} is ${named}, which is no ${what}.`);
  }
  if (named) return named;
  const searched = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...folders];
  const found = names.flatMap((name) => searched.map((folder) => join(folder, name)));
  return [...found, ...paths].find(isThere);
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
 * Installs them as root on Debian; elsewhere it does nothing.
 *
 * @param {string[]} packages
 * @param {string[]} [optional] those that another one does for, where a release has none
 * @returns {boolean} whether they were installed
 * @throws {Error} when apt-get fails
 */
export function installDebianPackages(packages, optional = []) {
  const isDebian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
  if (process.getuid?.() !== 0 || !isDebian) return false;
  process.stderr.write(`Installing Debian packages: ${[...packages, ...optional].join(', ')}...\n`);
  // A package may bring a service, as nginx does on port 80: programs are wanted, and nothing is started (policy-rc.d).
  const policy = '/usr/sbin/policy-rc.d';
  const forbidsServices = existsSync(policy);
  if (!forbidsServices) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    apt(['update']);
    const install = ['install', '-y', '--no-install-recommends'];
    if (packages.length > 0) apt([...install, ...packages]);
    for (const name of optional) runApt([...install, name]);
  } finally {
    if (!forbidsServices) rmSync(policy);
  }
  return true;
}

function apt(args) {
  if (runApt(args) !== 0) throw new Error(`apt-get ${args.join(' ')} failed; install the packages yourself.`);
}

function runApt(args) {
  const { status } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status;
}
