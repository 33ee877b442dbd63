/**
 * `npm run check [-- STEP …]` runs all checks that a change must pass, or the named steps. The tests come last, with their
 * closing line.
 */
import { join } from 'node:path';
import { ensureBuilt } from './built.mjs';
import { ensureInstalled } from './installed.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

/** The commands of each step: programs of node_modules/.bin, or scripts, with their arguments. */
const STEPS = {
  format: [['oxfmt', '--check']],
  lint: [['oxlint', '--type-aware', '--type-check', '--deny-warnings']],
  'dead-code': [['knip']],
  words: [['tools/words.mjs']],
  size: [['build/tools/bundle-size.js']],
  'board-alone': [['tools/board-alone.mjs']],
  test: [['tools/test.mjs', '--everything']],
};

const USAGE = `Usage: npm run check [-- STEP …]\nThe steps, in their order: ${Object.keys(STEPS).join(', ')}.`;

async function check(names) {
  const unknown = names.find((name) => !(name in STEPS));
  if (unknown !== undefined) throw new Error(`There is no step "${unknown}".\n${USAGE}`);
  await ensureInstalled();
  await ensureBuilt();
  for (const [step, commands] of Object.entries(STEPS)) {
    if (names.length > 0 && !names.includes(step)) continue;
    const startMs = Date.now();
    process.stderr.write(`\n── ${step}\n`);
    for (const command of commands) {
      const status = await run(command);
      if (status !== 0) throw new Error(`"npm run check -- ${step}" failed; its messages are above.`);
    }
    if (step !== 'test') process.stderr.write(`   ${((Date.now() - startMs) / 1_000).toFixed(1)} s\n`);
  }
}

function run([program, ...args]) {
  const script = /\.m?js$/.test(program) ? program : join('node_modules/.bin', program);
  return runChild(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'inherit', graceMs: 15_000 });
}

try {
  const names = process.argv.slice(2);
  if (names.some((name) => name === '--help' || name === '-h')) process.stdout.write(`${USAGE}\n`);
  else await check(names);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error?.exitCode ?? 1;
}
