import { expect, test } from 'vitest';
import { titleFault } from './event-title.ts';

test('a match is called by what a screen can show, of up to 400 bytes', () => {
  for (const title of ['Palestra × Atlético', ' x ', 'é'.repeat(200), '🏟️'])
    expect([title, titleFault(title)]).toEqual([title, undefined]);
  for (const title of ['', '  ', 'a\nb', 'a\u0007', 'a\u202eb', '\ud800'])
    expect(titleFault(title)).toBe('is empty, or holds a character that no screen can show');
  expect(titleFault('é'.repeat(201))).toBe('is longer than 400 bytes');
});
