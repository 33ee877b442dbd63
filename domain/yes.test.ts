import { expect, test } from 'vitest';
import { isYes } from './yes.ts';

test.each(['y', 'Y', ' yes ', 's', 'S', 'sim', 'SIM\n'])('%j is a yes', (answer) => {
  expect(isYes(answer)).toBe(true);
});

test.each([undefined, '', 'n', 'no', 'não', 'si', 'ys', 'yesterday'])('%j is none', (answer) => {
  expect(isYes(answer)).toBe(false);
});
