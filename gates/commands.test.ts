import { expect, test } from 'vitest';
import { COMMANDS } from './commands.ts';

test.each(Object.entries(COMMANDS))('%s is explained by its help', (name, { help }) => {
  expect(help).toMatch(new RegExp(`^Usage: npm run -s gates -- ${name}\\b`));
});
