import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { BUILT_FROM, fingerprint } from './built.mjs';
import { onlyOneAtATime } from './one-at-a-time.mjs';
import { ROOT } from './root.mjs';

/**
 * Builds everything into build/: the compiled server, gates and tools, and the screen in build/web. Works in build/.new
 * and moves what is whole into place.
 */
async function build() {
  // Read first: a source that changes while we build makes the build an old one.
  const builtFrom = fingerprint();
  const fresh = join(ROOT, 'build/.new');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  try {
    await Promise.all([compileServer(fresh), buildScreen(join(fresh, 'web'))]);
    const schema = 'server/database/schema';
    for (const name of readdirSync(join(ROOT, schema)).filter((file) => file.endsWith('.sql'))) {
      cpSync(join(ROOT, schema, name), join(fresh, schema, name));
    }
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

function compileServer(folder) {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', folder], {
      cwd: ROOT,
      stdio: 'inherit',
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(undefined);
      else reject(new Error('The server does not compile.'));
    });
  });
}

async function buildScreen(folder) {
  process.env.NODE_ENV = 'production';
  const { createRsbuild, loadConfig, mergeRsbuildConfig } = await import('@rsbuild/core');
  const { content } = await loadConfig({ cwd: ROOT });
  const rsbuild = await createRsbuild({
    cwd: ROOT,
    config: mergeRsbuildConfig(content, {
      // The compiler works in the same folder, which is new.
      output: { distPath: { root: folder }, cleanDistPath: false },
      logLevel: 'warn',
    }),
  });
  const { close } = await rsbuild.build();
  await close();
  compressFiles(folder);
}

/** Once and well, here, so that the server need not: each beside its file, where the server looks for it. */
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
  else await onlyOneAtATime(build);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
