import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.ts';

/** Returns the code block beneath a mark of a document, with its placeholders replaced. */
export function readRecipe(
  name: string,
  values: Readonly<Record<string, string>> = {},
  document = 'docs/gates.md',
): string {
  const text = readFileSync(join(PROJECT_ROOT, document), 'utf8');
  const [, block] =
    new RegExp(`<!-- recipe: ${name} -->\\n+\`\`\`(?:sql|sh|json|csv)\\n(.*?)\`\`\``, 's').exec(text) ?? [];
  if (block === undefined) throw new Error(`${document} has no recipe "${name}"`);
  return Object.entries(values).reduce((whole, [mark, value]) => whole.replaceAll(mark, value), block);
}
