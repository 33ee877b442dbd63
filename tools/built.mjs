import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

export const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
  'rsbuild.config.ts',
  'domain',
  'board',
  'desk',
  'fleet',
  'database',
  'gates',
  'server',
  'page',
  'testing',
  'tests/soak',
  'tools',
  'bench',
  'docs/fluxo.md',
  'docs/fluxo-mesa.png',
  'docs/fluxo-claro.png',
  'docs/fluxo-registro.png',
  'docs/fluxo-telefone.png',
];

/** Has the fingerprint of the build's sources. It is written last, so that an incomplete build has none. */
export const BUILT_FROM = 'build/.sources';

/** Hashes the sources, without tests and benchmark results, which are no part of the build. */
export function fingerprint() {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap(filesUnder)) {
    if (/\.test\.tsx?$|^bench\/results\//.test(path)) continue;
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

export function isBuilt() {
  try {
    return readFileSync(join(ROOT, BUILT_FROM), 'utf8') === fingerprint();
  } catch {
    return false;
  }
}

/** Whether there is a complete build, of these sources or of others. */
export function hasBuild() {
  return existsSync(join(ROOT, BUILT_FROM));
}

/** Builds if the build is outdated. @throws {Error} when the build fails */
export async function ensureBuilt() {
  if (isBuilt()) return;
  await withLock(async () => {
    if (isBuilt()) return;
    process.stderr.write('Building...\n');
    // A process of its own frees the compilers' memory, and keeps their output from our stdout.
    const build = join(ROOT, 'tools/build.mjs');
    const status = await runChild(process.execPath, [build, '--locked'], { cwd: ROOT });
    if (status !== 0) throw new Error('The build failed; its messages are above.');
  });
}

/** @returns {string[]} */
function filesUnder(path) {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  return readdirSync(join(ROOT, path))
    .toSorted()
    .flatMap((name) => filesUnder(`${path}/${name}`));
}
