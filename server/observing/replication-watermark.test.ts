import { expect, test } from 'vitest';
import { parseLsn, ReplicationWatermark } from './replication-watermark.ts';

test('a position of the log is read as PostgreSQL writes it', () => {
  expect(parseLsn('16/B374D848')).toBe(0x16_b374_d848n);
  expect(parseLsn('0/0')).toBe(0n);
  expect(parseLsn('FFFFFFFF/FFFFFFFF')).toBe(0xffff_ffff_ffff_ffffn);
});

test('the stream is as fresh as the last reading it has passed', () => {
  const watermark = new ReplicationWatermark(1_000);
  watermark.read(10n, 2_000);
  watermark.read(20n, 3_000);
  watermark.read(20n, 4_000);
  watermark.pass(9n);
  expect(watermark.passedAtMs).toBe(1_000);
  watermark.pass(10n);
  expect(watermark.passedAtMs).toBe(2_000);
  watermark.pass(25n);
  expect(watermark.passedAtMs).toBe(4_000);
});

test('a reading of a position that was passed before counts with the next passing', () => {
  const watermark = new ReplicationWatermark(1_000);
  watermark.pass(50n);
  watermark.read(40n, 5_000);
  expect(watermark.passedAtMs).toBe(1_000);
  watermark.pass(50n);
  expect(watermark.passedAtMs).toBe(5_000);
});
