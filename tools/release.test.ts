import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../testing/project-root.ts';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const versionIn = (path: string): unknown => (JSON.parse(read(path)) as { version: string }).version;

// Untyped: a script that runs before there is a build.
const { SOURCES } = (await import(pathToFileURL(join(PROJECT_ROOT, 'tools/built.mjs')).href)) as {
  readonly SOURCES: readonly string[];
};

test('package, lock file, image and the newest release of the changelog have one version', () => {
  const version = versionIn('package.json');
  expect(versionIn('package-lock.json')).toBe(version);
  expect(/^ARG VERSION=(.*)$/m.exec(read('Containerfile'))?.[1]).toBe(version);
  expect(/^## (\d\S*) - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});

test('an image is built from all sources of the build, and from what the archive takes beside them', () => {
  const admitted = [...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, path = '']) => path);
  const needed = [
    ...SOURCES,
    'deploy',
    'docs',
    'venues',
    'LICENSE',
    'CHANGELOG.md',
    'SECURITY.md',
    '.npmrc',
    '.node-version',
  ];
  const isAdmitted = (path: string): boolean =>
    admitted.some((one) => path === one || path.startsWith(`${one}/`)) || /^[^/]+\.json$/.test(path);
  expect(needed.filter((path) => !isAdmitted(path))).toEqual([]);
});
