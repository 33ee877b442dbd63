import { expect, test } from 'vitest';
import { parseLsn, Passage } from './passage.ts';

test('a position of the log is read as PostgreSQL writes it', () => {
  expect(parseLsn('16/B374D848')).toBe(0x16_b374_d848n);
  expect(parseLsn('0/0')).toBe(0n);
  expect(parseLsn('FFFFFFFF/FFFFFFFF')).toBe(0xffff_ffff_ffff_ffffn);
});

test('the stream is as fresh as the last reading it has passed', () => {
  const passage = new Passage(1_000);
  passage.read(10n, 2_000);
  passage.read(20n, 3_000);
  passage.read(20n, 4_000);
  passage.pass(9n);
  expect(passage.passedAtMs).toBe(1_000);
  passage.pass(10n);
  expect(passage.passedAtMs).toBe(2_000);
  passage.pass(25n);
  expect(passage.passedAtMs).toBe(4_000);
});

test('a reading of a position that was passed before counts with the next passing', () => {
  const passage = new Passage(1_000);
  passage.pass(50n);
  passage.read(40n, 5_000);
  expect(passage.passedAtMs).toBe(1_000);
  passage.pass(50n);
  expect(passage.passedAtMs).toBe(5_000);
});
