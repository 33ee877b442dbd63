import { expect, test } from 'vitest';
import { whyTooMany } from './estimate-limit.ts';

test.each([
  [320, { valid: 200, capacity: 320 }, null],
  [321, { valid: 200, capacity: 320 }, 'Confira o número: a lotação permitida aqui são 320.'],
  [99_999, { valid: 10_820, capacity: null }, 'Confira o número: os ingressos aqui são 10.820.'],
  [400, { valid: 400, capacity: 320 }, null],
  [99_999, { valid: 0, capacity: null }, null],
  [1_000_001, { valid: 0, capacity: null }, 'Confira o número: tantos não cabem em estádio nenhum.'],
])('of %i people without a reading, where %j is known: %s', (count, figures, why) => {
  expect(whyTooMany(count, figures)).toBe(why);
});
