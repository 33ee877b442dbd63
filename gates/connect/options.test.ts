import { expect, test } from 'vitest';
import { readWanted } from './options.ts';

const VIEW = { view: 'view.sql', tables: 'ticket(id)' };

test.each([
  ['alf.io', { event: '12', list: '7' }, '--list: alf.io has no check-in lists, leave it out.'],
  [
    undefined,
    { ...VIEW, list: '7' },
    '--event and --list are of the known systems: a view chooses by itself.',
  ],
  [
    undefined,
    { ...VIEW, venue: 'v.json' },
    '--venue is of the known systems: a view has no names of categories.',
  ],
  [
    'pretix',
    { event: '3', list: '7', category: ['31=4', '32=4', '31=7'] },
    '--category names 31 twice: a category has one sector.',
  ],
])('options that do not fit %s are refused in words: %o', async (name, values, words) => {
  await expect(readWanted(name, values)).rejects.toThrow(words);
});
