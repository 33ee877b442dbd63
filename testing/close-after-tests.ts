/**
 * Set-up of every test file: what the kit opens is closed, the newest first: after the test that has opened it, or after the
 * last one of the file where it was opened before them. Tests that run at the same time share what they have opened.
 */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { collectOpened } from './close-once.ts';

type Opened = (() => Promise<void>)[];

const openedInTests: Opened = [];
const openedForAll: Opened = [];
let running = 0;

collectOpened((close) => (running > 0 ? openedInTests : openedForAll).push(close));
beforeEach(() => {
  running += 1;
});
afterEach(async () => {
  running -= 1;
  if (running === 0) await closeAll(openedInTests);
});
afterAll(() => closeAll(openedForAll));

/** Every one, even if one before it fails; then throws the first failure. */
async function closeAll(opened: Opened): Promise<void> {
  const failures: unknown[] = [];
  for (let close = opened.pop(); close; close = opened.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
