/**
 * `npm run mutate [-- FILE …]`: Stryker changes the pure core, one place at a time, and counts the changes that no unit test
 * detects. Results are kept: a mutant is tried again only when it, or a test of it, has changed.
 *
 * Stryker is not in package.json: it has 170 dependencies, some of which need a newer Node.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './installed.mjs';
import { withLock } from './lock.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

const VERSION = '10.1.1';
const PACKAGES = ['@stryker-mutator/core', '@stryker-mutator/vitest-runner'];
/** Stryker's runner finds vitest from a folder below the project's. */
const FOLDER = join(ROOT, 'build/mutate');

/** Functions of plain data; docs/reliability.md ("Mutations") explains what is left out. */
const PURE_CORE = [
  'domain/**/*.ts',
  'database/primary/primary-choice.ts',
  'database/primary/host-answer.ts',
  'desk/model/**/*.ts',
  'board/counting/event-projection.ts',
  'board/fan-out/frame-pacing.ts',
  'page/live-state.ts',
  'page/trust/*.ts',
  '!**/*.test.ts',
  '!desk/model/forecast/**',
];

const USAGE = `Usage: npm run mutate [-- FILE … | OPTION …]

  npm run mutate                       all of the pure core
  npm run mutate -- domain/tally.ts    one file; a pattern is one in quotes
  npm run mutate -- --force            tries again what has a result; every other option is Stryker's, too`;

async function mutate(args) {
  await ensureInstalled();
  await withLock(install);
  const options = args.filter((arg) => arg.startsWith('-'));
  const files = args.filter((arg) => !arg.startsWith('-'));
  const config = join(FOLDER, 'stryker.json');
  writeFileSync(config, JSON.stringify(settings(files), null, 2));
  const stryker = join(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  return runChild(process.execPath, [stryker, 'run', config, ...options], {
    cwd: ROOT,
    stdio: 'inherit',
    graceMs: 10_000,
  });
}

function settings(files) {
  return {
    mutate: files.length > 0 ? files : PURE_CORE,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'vitest.mutate.config.ts' },
    coverageAnalysis: 'perTest',
    // Static mutants each need all tests, which would take more than half of the time of a run.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: 'build/mutate/results.json',
    tempDirName: 'build/mutate/sandboxes',
    ignorePatterns: ['build', '.triagem', 'docs', 'bench/results'],
    // Stryker would rewrite it with a library that TypeScript no longer has.
    tsconfigFile: 'none',
    // Endless mutants are found by counting; the time limit must not mistake a busy machine for one.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 30,
    reporters: ['clear-text', 'progress-append-only'],
    concurrency: 2,
    clearTextReporter: { reportTests: false },
    thresholds: { high: 95, low: 90, break: files.length > 0 ? null : 85 },
  };
}

async function install() {
  if (PACKAGES.every((name) => versionOf(name) === VERSION)) return;
  process.stderr.write(`Installing Stryker ${VERSION} into build/mutate...\n`);
  mkdirSync(FOLDER, { recursive: true });
  // Peer dependencies are left out: vitest is the project's.
  const options = [
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--loglevel=error',
  ];
  const packages = PACKAGES.map((name) => `${name}@${VERSION}`);
  const status = await runChild('npm', ['install', '--prefix', FOLDER, ...options, ...packages], {
    cwd: FOLDER,
  });
  if (status !== 0) throw new Error('npm could not install Stryker; its messages are above.');
}

function versionOf(name) {
  const file = join(FOLDER, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

try {
  const args = process.argv.slice(2);
  if (args.some((arg) => arg === '--help' || arg === '-h')) process.stdout.write(`${USAGE}\n`);
  else process.exitCode = await mutate(args);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error?.exitCode ?? 1;
}
