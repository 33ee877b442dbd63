import { expect, test } from 'vitest';
import {
  ANSWER_VALID_MS,
  ASK_EVERY_MS,
  COUNTS_VALID_MS,
  HEARTBEAT_INTERVAL_MS,
  LIVE_AGE_MS,
  PAGE_AGE_MS,
  PAGE_TICK_MS,
  SOURCE_AGE_MS,
  SOURCE_CHECK_MS,
  SOURCE_STALE_MS,
  STREAM_SILENT_MS,
} from './freshness.ts';

test('one look, answer, message or heartbeat that is late makes nothing stale', () => {
  expect(2 * SOURCE_CHECK_MS).toBeLessThan(SOURCE_STALE_MS);
  expect(2 * ASK_EVERY_MS).toBeLessThan(ANSWER_VALID_MS);
  expect(2 * HEARTBEAT_INTERVAL_MS).toBeLessThan(PAGE_AGE_MS);
});

test('a page doubts a silent stream before it gives it up, and the parts of the budget are all of it', () => {
  expect(STREAM_SILENT_MS).toBeGreaterThan(PAGE_AGE_MS);
  expect(SOURCE_AGE_MS + PAGE_AGE_MS + PAGE_TICK_MS).toBe(LIVE_AGE_MS);
});

test('a live counter has every state that it is held against', () => {
  expect(LIVE_AGE_MS).toBeGreaterThan(SOURCE_AGE_MS + COUNTS_VALID_MS);
});
