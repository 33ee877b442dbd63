import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID, isDocumentId, isEventId, oneEventId } from './event.ts';

describe('an event in PostgreSQL', () => {
  test.each([DEFAULT_EVENT_ID, 'A'.repeat(32)])('may have the ID %s', (id) =>
    expect(isEventId(id)).toBe(true),
  );
  test.each(['', 'a'.repeat(31), 'g'.repeat(32), 'Final-2026'])('has not the ID "%s"', (id) =>
    expect(isEventId(id)).toBe(false),
  );
});

test('capitals of hexadecimal digits make no other ID; those of another text do', () => {
  expect(oneEventId('AbCdEf12'.repeat(4))).toBe('abcdef12'.repeat(4));
  expect(oneEventId('Final-2026')).toBe('Final-2026');
});

describe('an event in Firestore', () => {
  test.each([
    DEFAULT_EVENT_ID,
    'Final-2026',
    '9XbW2kQ7',
    'Palestra × Atlético (ida)',
    '...',
    '__final',
    'é'.repeat(750),
  ])('may have the ID "%.40s"', (id) => expect(isDocumentId(id)).toBe(true));

  test.each([
    '',
    '.',
    '..',
    'a/b',
    '__final__',
    '____',
    'a\nb',
    'a\u0085',
    `${'é'.repeat(750)}x`,
    'a\uD800',
    'a\0',
  ])('has not the ID "%.40s"', (id) => expect(isDocumentId(id)).toBe(false));
});
