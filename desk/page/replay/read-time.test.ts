import { expect, test } from 'vitest';
import { noTimeWords, readTime } from './read-time.ts';

test('a time is read as people type it', () => {
  const typed = ['18:29', '1829', '18h29', ' 18.29 ', '9:05', '905', '18H29'];
  expect(typed.map(readTime)).toEqual(['18:29', '18:29', '18:29', '18:29', '09:05', '09:05', '18:29']);
});

test('what is no time stays what it is', () => {
  expect(['', '18', 'às 6', '18:2', '18:29:10'].map(readTime)).toEqual([
    '',
    '18',
    'às 6',
    '18:2',
    '18:29:10',
  ]);
});

test('a text that is no time is refused with an example', () => {
  expect(noTimeWords(' 25:99')).toBe('25:99 não é um horário: escreva como 18:29');
  expect(noTimeWords(' ')).toBe('escreva um horário, como 18:29');
});
