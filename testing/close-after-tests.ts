/**
 * Set-up of every test file: what the kit opens is closed, the newest first: after the test that has opened it, or after the
 * last one of the file where it was opened before them. Tests that run at the same time share what they have opened.
 */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { closeAll, collectOpened } from './close-once.ts';

type Opened = (() => Promise<void>)[];

const openedInTests: Opened = [];
const openedForAll: Opened = [];
let running = 0;

collectOpened((close, outlivesTest) =>
  (running > 0 && !outlivesTest ? openedInTests : openedForAll).push(close),
);
beforeEach(() => {
  running += 1;
});
afterEach(async () => {
  running -= 1;
  if (running === 0) await closeAll(openedInTests);
});
afterAll(() => closeAll(openedForAll));
