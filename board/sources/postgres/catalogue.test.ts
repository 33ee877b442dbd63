import { describe, expect, test } from 'vitest';
import { isReadAfter } from './catalogue.ts';

describe('a catalogue was read after a transaction,', () => {
  test.each([
    ['which is older than all that ran', 9, '10:20:10,12', true],
    ['which had ended while older ones ran', 11, '10:20:10,12', true],
    ['but not one that ran', 12, '10:20:10,12', false],
    ['but not one that had not begun to end', 20, '10:20:10,12', false],
    ['which is the last one that had ended, none running', 19, '20:20:', true],
    ['whose number has lost its upper half', 11, '4294967306:4294967316:4294967306', true],
    ['but not one that ran, by its lower half', 10, '4294967306:4294967316:4294967306', false],
    ['from before the numbers began anew', 4_294_967_290, '4294967306:4294967316:', true],
    ['but not one that runs on as they begin anew', 4_294_967_290, '4294967290:4294967316:4294967290', false],
  ])('%s', (_what, transactionId, snapshot, isAfter) => {
    expect(isReadAfter({ snapshot }, transactionId)).toBe(isAfter);
  });
});
