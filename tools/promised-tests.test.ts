import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../testing/project-root.ts';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

/** Returns the smallest run of tests that includes this file, or its tests whose titles begin so. */
function tierOf(path: string, title: string | undefined): string {
  const titlesInFull = read(path)
    .split(/testInFull\(\s*'/)
    .slice(1);
  const isInFull = title !== undefined && titlesInFull.some((text) => text.startsWith(title));
  if (path.endsWith('.full.test.ts') || isInFull) return 'full';
  return path.endsWith('.long.test.ts') ? 'check' : 'quick';
}

const promises = (read('docs/reliability.md').split(/^## /m)[1] ?? '')
  .split(/^- /m)
  .slice(1)
  .map((promise) => promise.replaceAll(/\s+/g, ' '));

test.each(promises.map((promise) => [/^\*\*(.*?)\*\*/s.exec(promise)?.[1] ?? promise, promise]))(
  'docs/reliability.md names test and tier: %s',
  (_title, promise) => {
    const named = [...promise.matchAll(/`([^` ]+\.test\.ts)`(?: \((\w+)\))?(?:: “([^”]+)”)?/g)];
    expect(named.length, 'a promise without a test').toBeGreaterThan(0);
    for (const [, path = '', tier, title] of named) {
      expect([path, tier]).toEqual([path, tierOf(path, title)]);
      expect(read(path)).toContain(title ?? '');
    }
  },
);

test('every test file that a document names exists', () => {
  const missing = documents().flatMap((document) =>
    [...read(document).matchAll(/`([^`* ]+\/[^`* ]+\.test\.ts)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(PROJECT_ROOT, path)))
      .map((path) => `${document}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('every unit of systemd that a document shows lets tools/node.sh choose the Node', () => {
  const lines = documents().flatMap((document) => read(document).split('\n'));
  const units = lines.filter((line) => /ExecStart=.*launch\.mjs/.test(line));
  expect(units.length).toBeGreaterThan(2);
  expect(units.filter((line) => !line.includes('/bin/sh tools/node.sh '))).toEqual([]);
});

test('every link of a document leads to a file, and to a heading in it', () => {
  const broken = documents().flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path = '', heading]) => {
        const target = path === '' ? document : join(dirname(document), path);
        if (!existsSync(join(PROJECT_ROOT, target))) return true;
        return heading !== undefined && !anchorsOf(target).includes(heading);
      })
      .map(([link]) => `${document}: ${link}`),
  );
  expect(broken).toEqual([]);
});

/** Returns the anchors that GitHub derives from the headings of a document. */
function anchorsOf(document: string): string[] {
  return [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function documents(): string[] {
  const inDocs = readdirSync(join(PROJECT_ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const all = [...readdirSync(PROJECT_ROOT), ...inDocs.map((name) => `docs/${name}`)];
  return all.filter((name) => name.endsWith('.md'));
}
