import { CHROMIUM } from './browser.mjs';

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
