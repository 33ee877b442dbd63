import { expect, test } from 'vitest';
import { loadCommands, WORDS } from './commands.ts';

test.each(WORDS)('%s, and what it begins, is explained by its help', async (word) => {
  const commands = Object.entries(await loadCommands(word));
  expect(commands.length).toBeGreaterThan(0);
  for (const [name, { help }] of commands)
    expect(help).toMatch(new RegExp(`^Usage: npm run -s gates -- ${name}\\b`));
});
