import { expect, test } from 'vitest';
import { PretixWatch } from './pretix-watch.ts';

test('a token that may read the check-in list alone does not end the warning, which is logged once', () => {
  const lines: string[] = [];
  const watch = new PretixWatch((line) => lines.push(line));
  watch.failed('it answers 403', 403);
  const { warning } = watch;
  watch.answered(true);
  watch.failed('it answers 403', 403);
  expect(watch.warning).toBe(warning);
  watch.answered(false);
  expect(watch.warning).toBeUndefined();
  expect(lines).toEqual([`${warning}.`, 'Check-ins of pretix are taken again.']);
});
