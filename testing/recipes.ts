import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from './project-root.ts';

/** A block of SQL in docs/gates.md, as it stands beneath its mark; placeholders, in capitals there, are replaced. */
export function readRecipe(name: string, values: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(PROJECT_ROOT, 'docs/gates.md'), 'utf8');
  const [, sql] = new RegExp(`<!-- recipe: ${name} -->\\n+\`\`\`sql\\n(.*?)\`\`\``, 's').exec(text) ?? [];
  if (sql === undefined) throw new Error(`docs/gates.md has no recipe "${name}"`);
  return Object.entries(values).reduce((whole, [mark, value]) => whole.replaceAll(mark, value), sql);
}
