import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../testing/project-root.ts';

const SOURCE = join(PROJECT_ROOT, 'board/sources/firestore');
const DOCS = readFileSync(join(PROJECT_ROOT, 'docs/firestore.md'), 'utf8');

/** What the first column of the table of messages quotes. */
function quotedMessages(): string[] {
  const [, section = ''] = DOCS.split('## When something is wrong\n');
  const rows = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted ?? ''),
  );
}

test('each message that docs/firestore.md explains is one of the source', () => {
  const files = readdirSync(SOURCE).filter((name) => name.endsWith('.ts') && !name.includes('.test.'));
  const code = files.map((name) => readFileSync(join(SOURCE, name), 'utf8')).join('\n');
  const quoted = quotedMessages();
  expect(quoted.length).toBeGreaterThan(25);
  expect(quoted.filter((message) => !code.includes(message))).toEqual([]);
});
