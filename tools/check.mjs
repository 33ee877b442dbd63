/** `npm run check`: everything that must hold before a change is taken. The tests come last, with their closing line. */
import { spawnSync } from 'node:child_process';
import { ensureBuilt } from './built.mjs';
import { ensureInstalled, isInstalled } from './installed.mjs';
import { onlyOneAtATime } from './one-at-a-time.mjs';
import { ROOT } from './root.mjs';

const STEPS = ['format:check', 'lint', 'types', 'dead-code', 'size', 'test'];

async function check() {
  if (!isInstalled()) await onlyOneAtATime(ensureInstalled);
  await ensureBuilt();
  for (const step of STEPS) {
    const startMs = Date.now();
    process.stderr.write(`\n── ${step}\n`);
    const { status } = spawnSync('npm', ['run', '--silent', step], { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) throw new Error(`"npm run ${step}" failed; its messages are above.`);
    if (step !== 'test') process.stderr.write(`   ${((Date.now() - startMs) / 1_000).toFixed(1)} s\n`);
  }
}

try {
  await check();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
