import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { BUILT_FROM, fingerprint } from './built.mjs';
import { ensureInstalled } from './installed.mjs';
import { withLock } from './lock.mjs';
import { ROOT } from './root.mjs';
import { runChild } from './run-child.mjs';

/**
 * Builds everything into build/: the compiled server, gates and tools, and the pages in build/web. The build is made in
 * build/.new, and moved when it is complete.
 */
async function build() {
  // Read first, so that a source that changes meanwhile makes the build outdated.
  const builtFrom = fingerprint();
  const fresh = join(ROOT, 'build/.new');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  try {
    await Promise.all([compileServer(fresh), buildScreen(join(fresh, 'web'))]);
    const schema = 'database/schema';
    const isData = (path) => !path.endsWith('.ts');
    cpSync(join(ROOT, schema), join(fresh, schema), { recursive: true, filter: isData });
    rmSync(join(ROOT, BUILT_FROM), { force: true });
    for (const name of readdirSync(fresh)) {
      rmSync(join(ROOT, 'build', name), { recursive: true, force: true });
      renameSync(join(fresh, name), join(ROOT, 'build', name));
    }
    writeFileSync(join(ROOT, BUILT_FROM), builtFrom);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function compileServer(folder) {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', folder];
  const status = await runChild(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('The server does not compile.');
}

async function buildScreen(folder) {
  process.env.NODE_ENV = 'production';
  const { createRsbuild, loadConfig, mergeRsbuildConfig } = await import('@rsbuild/core');
  const { content } = await loadConfig({ cwd: ROOT });
  const rsbuild = await createRsbuild({
    cwd: ROOT,
    config: mergeRsbuildConfig(content, {
      // The compiler writes into the same folder, which is new.
      output: { distPath: { root: folder }, cleanDistPath: false },
      logLevel: 'warn',
    }),
  });
  const { close } = await rsbuild.build();
  await close();
  compressFiles(folder);
}

/** Compresses files ahead of time. The server looks for the results beside each file. */
function compressFiles(folder) {
  const files = readdirSync(join(folder, 'static'), { recursive: true, encoding: 'utf8' });
  for (const name of files.filter((file) => /\.(js|css|svg)$/.test(file))) {
    const path = join(folder, 'static', name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

try {
  // The launcher holds the lock already when it starts us.
  if (process.argv.includes('--locked')) await build();
  else {
    await ensureInstalled();
    await withLock(build);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
