/**
 * `npm test [-- FILTER …]` installs what is missing, Chromium and nginx included, builds, runs the tests, and lists the
 * slowest files and the failures. The last line is `N passed, N failed`, the sum of all runs.
 *
 * Without a filter it leaves out long tests (`*.long.test.ts`, and repetitions). `--everything`, for `npm run check`, runs
 * them as well. `--full` also runs `*.full.test.ts`, which need a machine for themselves, and lets faults last as long as in
 * production; it repeats the quick tests that need no browser and inject no faults on each other supported Node.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { ensureBuilt } from './built.mjs';
import { ensureInstalled } from './installed.mjs';
import { ensureNode } from './node-releases.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';
import { ensureTestPrograms } from './system-programs.mjs';

/** The further major versions of Node that `--full` tests on. */
const OTHER_NODES = [22, 26];
const OWN_OPTIONS = new Set(['--everything', '--full', '--times']);
const SLOWEST = 10;
/** Limits the characters of a failure at the end; its whole message is further up. */
const LONGEST_FAILURE = 2_000;

/** The test files that each scope leaves out. */
const LEFT_OUT = { quick: /\.(?:long|full)\.test\.ts$/, everything: /\.full\.test\.ts$/, full: /^$/ };

const ON_OTHER_NODES = {
  filters: ['--project=unit', '--project=postgres'],
  isMeant: (file) => !/^tests\/(?:faults|browser)\//.test(file),
};

const USAGE = `Usage: npm test [-- FILTER … | OPTION …]

Without a filter: what is quick. With one, all tests whose file's path contains it, the long ones included.

  npm test -- domain/tally           one file
  npm test -- -t "invariant 8"       by name; every other option is vitest's, too
  npm test -- --times                also prints how long each file took, the slowest first
  npm run check                      everything that a change must pass
  npm run test:full                  also what takes a machine for hours, on each Node that is supported`;

async function test() {
  await ensureInstalled();
  const programs = ensureTestPrograms();
  const options = process.argv.slice(2);
  const filters = options.filter((option) => !OWN_OPTIONS.has(option));
  const isQuick = filters.length === 0 && !options.includes('--everything');
  const scope = options.includes('--full') ? 'full' : isQuick ? 'quick' : 'everything';
  const majors = scope === 'full' && filters.length === 0 ? OTHER_NODES : [];
  // First of all, so that a Node that cannot be installed is not found after ten minutes.
  const others = [];
  for (const major of majors) others.push(await ensureNode(major));
  await ensureBuilt();
  process.stdout.write(`${versionsOf(programs).join(' · ')}\n`);
  const env = { ...process.env, ...programs, TRIAGEM_TEST_SCOPE: scope };
  const isMeant = (file) => !LEFT_OUT[scope].test(file);
  const own = { filters, isMeant: filters.length === 0 ? isMeant : undefined, env };
  const outcomes = [await run(process.execPath, own)];
  for (const [index, node] of others.entries()) {
    process.stdout.write(`\n── unit, PostgreSQL and security tests on Node ${majors[index]}\n`);
    const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
    const { filters: projects, isMeant: isForAll } = ON_OTHER_NODES;
    const isMeantForAll = (file) => isForAll(file) && isMeant(file);
    outcomes.push(await run(node, { filters: projects, isMeant: isMeantForAll, env: { ...env, PATH } }));
  }
  const sum = (key) => outcomes.reduce((whole, outcome) => whole + outcome[key], 0);
  printTimes(
    outcomes.flatMap(({ files }) => files),
    { all: options.includes('--times') },
  );
  printFailures(outcomes.flatMap(({ failures }) => failures));
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed${skipped}\n`);
  return outcomes.find(({ status }) => status !== 0)?.status ?? 0;
}

/**
 * Runs vitest once. `isMeant` selects the test files that must have been run; undefined allows any number.
 *
 * @returns {Promise<{
 *   passed: number, failed: number, skipped: number, status: number,
 *   files: { name: string, durationMs: number }[], failures: string[]
 * }>}
 */
async function run(node, { filters, isMeant, env }) {
  const results = join(ROOT, 'build/test-results.json');
  rmSync(results, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const options = { cwd: ROOT, stdio: 'inherit', env, graceMs: 10_000 };
  const status = await runChild(node, [vitest, 'run', ...reporters, ...filters], options);
  const report = JSON.parse(readFileSync(results, 'utf8'));
  const { numPassedTests, numFailedTests, numTotalTests, testResults } = report;
  // A file that breaks before its first test counts as a failure.
  let failed = numFailedTests === 0 && status !== 0 ? 1 : numFailedTests;
  // Tests are "pending" where their worker ended early; those that a file skips are "skipped".
  const unrun = testResults.some((file) => file.assertionResults.some(({ status: is }) => is === 'pending'));
  if (unrun || (isMeant && testResults.length < testFiles().filter(isMeant).length)) {
    process.stdout.write('Not every test was run.\n');
    failed ||= 1;
  }
  return {
    passed: numPassedTests,
    failed,
    skipped: numTotalTests - numPassedTests - numFailedTests,
    status: failed > 0 || numPassedTests === 0 ? status || 1 : 0,
    files: testResults.map(({ name, startTime, endTime }) => ({ name, durationMs: endTime - startTime })),
    failures: testResults.flatMap(failuresOf),
  };
}

/** Returns the failures of a file as texts. A file that breaks before its first test has only a message. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((result) => result.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${file}\n${message}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}\n${failureMessages.join('\n')}`);
}

/** Prints how long the slowest files took, or all of them. */
function printTimes(files, { all }) {
  if (files.length <= SLOWEST && !all) return;
  const slowest = files.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, all ? undefined : SLOWEST);
  process.stdout.write(all ? '\nTime of each file:\n' : `\nThe ${SLOWEST} slowest files (--times: all):\n`);
  for (const { name, durationMs } of slowest) {
    process.stdout.write(`${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${relative(ROOT, name)}\n`);
  }
  process.stdout.write('\n');
}

function printFailures(failures) {
  if (failures.length === 0) return;
  process.stdout.write('Failed:\n');
  for (const failure of failures) {
    const ownLines = failure.replaceAll(/^ +at .*node_modules.*\n?/gm, '');
    const text = ownLines.length > LONGEST_FAILURE ? `${ownLines.slice(0, LONGEST_FAILURE)} …` : ownLines;
    process.stdout.write(`${text.replaceAll(/^(?!$)/gm, '  ')}\n\n`);
  }
}

function versionsOf({ HEADLESS_CHROMIUM_PATH, NGINX_PATH, NATS_SERVER_PATH }) {
  const programs = [
    [HEADLESS_CHROMIUM_PATH, '--version'],
    [NGINX_PATH, '-v'],
    [NATS_SERVER_PATH, '--version'],
  ];
  const versions = programs.map(([program, option]) => {
    const { stdout, stderr } = spawnSync(program, [option], { encoding: 'utf8' });
    return `${stdout}${stderr}`.trim().split('\n', 1)[0];
  });
  return [`Node ${process.version}`, ...versions];
}

const ROOMS = 'domain board desk fleet page database gates server testing tests bench tools'.split(' ');

function testFiles() {
  const files = ROOMS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  return files.filter((file) => file.endsWith('.test.ts'));
}

try {
  const asksForHelp = process.argv.slice(2).some((option) => option === '--help' || option === '-h');
  if (asksForHelp) process.stdout.write(`${USAGE}\n`);
  else process.exitCode = await test();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stdout.write('0 passed, 1 failed\n');
  process.exitCode = error?.exitCode ?? 1;
}
