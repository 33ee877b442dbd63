import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installDebianPackage } from './debian-package.mjs';

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];
const PLACES = [
  '/usr/bin',
  '/usr/lib/chromium',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * The browser that the tests drive: CHROMIUM_PATH, else a Chromium or Chrome of this machine.
 *
 * @returns {string | undefined} its absolute path
 * @throws {Error} when CHROMIUM_PATH names no program
 */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, which is no program that can be run.`);
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...PLACES];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
    .concat(PLACES)
    .find(isProgram);
}

/** As findChromium; as root on Debian it is installed first if there is none. Throws an Error that says what to do. */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  const installed = installDebianPackage('chromium', 'Chromium') ? findChromium() : undefined;
  if (installed) return installed;
  throw new Error(
    'The browser tests need Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH.',
  );
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
