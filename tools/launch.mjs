/**
 * `sh tools/node.sh tools/launch.mjs NAME …args` brings packages and build up to date, then becomes the program: in the same
 * process, so that signals and exit code are the program's own.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, hasBuild, isBuilt } from './built.mjs';
import { ensureInstalled, isInstalled } from './installed.mjs';
import { CannotBuild } from './lock.mjs';
import { ROOT } from './root.mjs';
import { ensureFleetPrograms, ensureSoakPrograms } from './system-programs.mjs';

const PROGRAMS = {
  demo: 'build/tools/demo.js',
  'demo:fleet': 'build/tools/demo-fleet.js',
  start: 'build/server/start.js',
  migrate: 'build/server/migrate.js',
  keys: 'build/server/fleet/keys.js',
  return: 'build/server/return.js',
  firestore: 'build/server/firestore.js',
  gates: 'build/gates/main.js',
  dev: 'build/tools/dev.js',
  soak: 'build/tests/soak/main.js',
  bench: 'build/bench/main.js',
};

/** Programs that need production packages only. */
const IN_PRODUCTION = new Set([
  'demo',
  'demo:fleet',
  'start',
  'migrate',
  'keys',
  'return',
  'firestore',
  'gates',
]);

/** Programs of services, whose accounts may not be allowed to build. */
const MAY_RUN_OLD_BUILD = new Set(['start', 'gates']);

async function launch() {
  const [name, ...args] = process.argv.slice(2);
  const program = Object.hasOwn(PROGRAMS, name ?? '') ? PROGRAMS[name] : undefined;
  if (!program) throw new Error(`Usage: node tools/launch.mjs ${Object.keys(PROGRAMS).join('|')} ...`);
  if (Number.parseInt(process.versions.node, 10) < 22) {
    throw new Error(
      `Triagem does not run on Node ${process.versions.node}: put "sh tools/node.sh" in place of "node".`,
    );
  }
  // With a build in place, an installation without development packages (npm ci --omit=dev) is enough.
  const production = IN_PRODUCTION.has(name) && !args.includes('--firestore');
  if (!(isBuilt() && isInstalled({ production }))) {
    try {
      await ensureInstalled();
      await ensureBuilt();
    } catch (error) {
      continueWithOldBuild(error, name);
    }
  }
  if (name === 'demo:fleet') Object.assign(process.env, ensureFleetPrograms());
  if (name === 'soak' && args.includes('--fleet')) {
    // Makes the test kit use the durations of production.
    Object.assign(process.env, ensureSoakPrograms(), { TRIAGEM_TEST_SCOPE: 'full' });
  }
  const path = join(ROOT, program);
  process.argv.splice(1, process.argv.length, path, ...args);
  await import(pathToFileURL(path).href);
}

/** A service with an old build is better than none (docs/decisions/0011-tools.md). */
function continueWithOldBuild(error, name) {
  if (!(error instanceof CannotBuild)) throw error;
  if (!hasBuild()) throw new Error(`Triagem is not built. ${error.message}`);
  if (!MAY_RUN_OLD_BUILD.has(name))
    throw new Error(`The build is older than the sources or their packages. ${error.message}`);
  process.stderr.write(
    `WARNING: going on with a build that is older than the sources or their packages. ${error.message}\n`,
  );
}

try {
  await launch();
} catch (error) {
  // The launcher's own errors need no stack trace; a program prints its own.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error?.exitCode ?? 1;
}
