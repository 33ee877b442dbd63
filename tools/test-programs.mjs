import { findProgram } from './outside-program.mjs';

/** The browser that the tests drive. */
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
  places: [
    '/usr/bin',
    '/usr/lib/chromium',
    '/snap/bin',
    '/opt/google/chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  debianPackage: 'chromium',
};

/** What the tests run that npm does not bring: the screen's browser, and what stands around a board on a wall. */
export const TEST_PROGRAMS = [
  CHROMIUM,
  {
    title: 'nginx',
    setting: 'NGINX_PATH',
    names: ['nginx'],
    places: ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'],
    debianPackage: 'nginx-light',
  },
  {
    title: 'PgBouncer',
    setting: 'PGBOUNCER_PATH',
    names: ['pgbouncer'],
    places: ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'],
    debianPackage: 'pgbouncer',
  },
  { title: 'curl', names: ['curl'], places: [], debianPackage: 'curl' },
  { title: 'pgrep', names: ['pgrep'], places: [], debianPackage: 'procps' },
  { title: 'OpenSSL', names: ['openssl'], places: [], debianPackage: 'openssl' },
];

/** The path of the browser that tests and benchmarks drive; `undefined` where there is none. */
export function findChromium() {
  return findProgram(CHROMIUM);
}
