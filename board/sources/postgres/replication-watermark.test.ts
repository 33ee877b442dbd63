import { expect, test } from 'vitest';
import { parseLsn, ReplicationWatermark } from './replication-watermark.ts';
import type { ClockReading } from '../database-clock.ts';

test('a position of the log is read as PostgreSQL writes it', () => {
  expect(parseLsn('16/B374D848')).toBe(0x16_b374_d848n);
  expect(parseLsn('0/0')).toBe(0n);
  expect(parseLsn('FFFFFFFF/FFFFFFFF')).toBe(0xffff_ffff_ffff_ffffn);
});

function at(readAtMs: number): ClockReading {
  return { databaseMs: 1_700_000_000_000 + readAtMs, readAtMs, answeredAtMs: readAtMs };
}

test('the stream is as fresh as the last reading it has passed', () => {
  const watermark = new ReplicationWatermark(at(1_000));
  watermark.read(10n, at(2_000));
  watermark.read(20n, at(3_000));
  watermark.read(20n, at(4_000));
  expect(watermark.pass(9n)).toBe(false);
  expect(watermark.passed).toEqual(at(1_000));
  expect(watermark.pass(10n)).toBe(true);
  expect(watermark.passed).toEqual(at(2_000));
  expect(watermark.pass(11n)).toBe(false);
  expect(watermark.pass(25n)).toBe(true);
  expect(watermark.passed).toEqual(at(4_000));
});

test('a reading of a position that was passed before counts with the next passing', () => {
  const watermark = new ReplicationWatermark(at(1_000));
  watermark.pass(50n);
  watermark.read(40n, at(5_000));
  expect(watermark.passed).toEqual(at(1_000));
  watermark.pass(50n);
  expect(watermark.passed).toEqual(at(5_000));
});
