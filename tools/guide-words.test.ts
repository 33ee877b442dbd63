import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../testing/project-root.ts';

/** What is written on a screen: in the pages, and where the server tells them words. */
const FOLDERS = ['page', 'board', 'desk', 'domain', 'server'];

test('the operators’ guide quotes no word that no screen says', () => {
  const guide = readFileSync(join(PROJECT_ROOT, 'docs/fluxo.md'), 'utf8');
  const quotes = [...guide.matchAll(/`([^`\n]+)`/g)].map(([, quote = '']) => quote);
  const words = quotes.filter((quote) => !/^\/|^gates --/.test(quote));
  expect(words.length).toBeGreaterThan(50);
  const said = FOLDERS.flatMap(sourcesIn)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
    .replaceAll(/\s+/g, ' ');
  expect(words.filter((word) => !said.includes(word))).toEqual([]);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|html)$/.test(name) && !name.includes('.test.'))
    .map((name) => join(PROJECT_ROOT, folder, name));
}
