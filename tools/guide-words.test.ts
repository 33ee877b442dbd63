import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../testing/project-root.ts';

/** The folders with texts of the screens: those of the pages, and those that the server sends. */
const FOLDERS = ['page', 'board', 'desk', 'domain', 'server'];

test('the operators’ guide quotes only texts that occur in the sources', () => {
  const guide = readFileSync(join(PROJECT_ROOT, 'docs/fluxo.md'), 'utf8');
  const quotes = [...guide.matchAll(/`([^`\n]+)`/g)].map(([, quote = '']) => quote);
  const words = quotes.filter((quote) => !/^\/|^gates --/.test(quote));
  expect(words.length).toBeGreaterThan(50);
  const sources = FOLDERS.flatMap(sourcesIn)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
    .replaceAll(/\s+/g, ' ');
  expect(words.filter((word) => !sources.includes(word))).toEqual([]);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|html)$/.test(name) && !name.includes('.test.'))
    .map((name) => join(PROJECT_ROOT, folder, name));
}
