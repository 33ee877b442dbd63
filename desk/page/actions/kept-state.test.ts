import { expect, test } from 'vitest';
import { handOver, keep, readKept } from './kept-state.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';

test('what an operator typed stays for the next one, by name; what was chosen for a mark does not', () => {
  const sending = { kind: 'idle' };
  const values = {
    'note a': 'equipe enviada',
    occurrence: 'chuva',
    'occurrence of': '7',
    'reason b': 'x'.repeat(MAX_TEXT_LENGTH),
    'mark of one': '4',
    'estimate how mark one': 'contagem',
    'sending mark one': sending,
  };
  for (const [key, value] of Object.entries(values)) keep(key, value);
  handOver('Ana');
  const left = Object.fromEntries(Object.keys(values).map((key) => [key, readKept(key)]));
  expect(left).toEqual({
    'note a': 'Ana: equipe enviada',
    occurrence: 'Ana: chuva',
    'occurrence of': '7',
    'reason b': `Ana: ${'x'.repeat(MAX_TEXT_LENGTH - 5)}`,
    'sending mark one': sending,
  });
});
