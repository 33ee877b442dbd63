import { findProgram } from './outside-program.mjs';

/** The browser that the tests drive. */
export const CHROMIUM = {
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

/** See findProgram. */
export function findChromium() {
  return findProgram(CHROMIUM);
}
