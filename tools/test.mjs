/**
 * `npm test [-- FILTER …]`: installs what is missing, Chromium and nginx included, builds, then runs every test. Ends
 * with a line `N passed, N failed`. With `--full`, the faults last as long as in the field.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './built.mjs';
import { ensureInstalled, isInstalled } from './installed.mjs';
import { assertNodeVersion } from './node-version.mjs';
import { onlyOneAtATime } from './one-at-a-time.mjs';
import { ensurePrograms } from './outside-program.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';
import { TEST_PROGRAMS } from './test-programs.mjs';

const RESULTS = join(ROOT, 'build/test-results.json');

async function test() {
  assertNodeVersion(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node);
  if (!isInstalled()) await onlyOneAtATime(ensureInstalled);
  const programs = ensurePrograms(TEST_PROGRAMS);
  await ensureBuilt();
  rmSync(RESULTS, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`];
  const filters = process.argv.slice(2).filter((argument) => argument !== '--full');
  const isFull = process.argv.includes('--full');
  const status = await runChild(process.execPath, [vitest, 'run', ...options, ...filters], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...programs, TRIAGEM_TEST_DURATIONS: isFull ? 'full' : 'short' },
    graceMs: 10_000,
  });
  const { numPassedTests, numFailedTests, numTotalTests, testResults } = JSON.parse(
    readFileSync(RESULTS, 'utf8'),
  );
  // A file that breaks before its first test has failed, too.
  let failed = numFailedTests === 0 && status !== 0 ? 1 : numFailedTests;
  const left = numTotalTests - numPassedTests - numFailedTests;
  // Of a worker that ended early: what its file skips itself is "skipped", not "pending".
  const unrun = testResults
    .flatMap((file) => file.assertionResults)
    .some((outcome) => outcome.status === 'pending');
  if (unrun || (filters.length === 0 && testResults.length < countTestFiles())) {
    process.stdout.write('Not every test was run.\n');
    failed ||= 1;
  }
  process.stdout.write(`${numPassedTests} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ''}\n`);
  return failed > 0 || numPassedTests === 0 ? status || 1 : 0;
}

function countTestFiles() {
  const files = ['domain', 'server', 'web', 'gates', 'tests', 'bench', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }),
  );
  return files.filter((file) => file.endsWith('.test.ts')).length;
}

try {
  process.exitCode = await test();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stdout.write('0 passed, 1 failed\n');
  process.exitCode = error?.exitCode ?? 1;
}
