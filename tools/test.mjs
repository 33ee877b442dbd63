/**
 * `npm test [-- FILTER …]`: installs what is missing, Chromium included, builds, then runs every test. Ends with a
 * line `N passed, N failed`. With `--full`, the faults last as long as in the field.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureChromium } from './browser.mjs';
import { ensureBuilt } from './built.mjs';
import { ensureInstalled, isInstalled } from './installed.mjs';
import { assertNodeVersion } from './node-version.mjs';
import { onlyOneAtATime } from './one-at-a-time.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

const RESULTS = join(ROOT, 'build/test-results.json');

async function test() {
  assertNodeVersion(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node);
  if (!isInstalled()) await onlyOneAtATime(ensureInstalled);
  const chromium = ensureChromium();
  await ensureBuilt();
  rmSync(RESULTS, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`];
  const filters = process.argv.slice(2).filter((argument) => argument !== '--full');
  const isFull = process.argv.includes('--full');
  const status = await runChild(process.execPath, [vitest, 'run', ...options, ...filters], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, CHROMIUM_PATH: chromium, TRIAGEM_TEST_DURATIONS: isFull ? 'full' : 'short' },
    graceMs: 10_000,
  });
  const { numPassedTests, numFailedTests, numPendingTests, numTotalTestSuites } = JSON.parse(
    readFileSync(RESULTS, 'utf8'),
  );
  // A file that breaks before its first test has failed, too.
  const failed = numFailedTests === 0 && status !== 0 ? 1 : numFailedTests;
  const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
  process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`);
  if (numTotalTestSuites === 0 || numPassedTests === 0) return 1;
  return status;
}

try {
  process.exitCode = await test();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stdout.write('0 passed, 1 failed\n');
  process.exitCode = error?.exitCode ?? 1;
}
