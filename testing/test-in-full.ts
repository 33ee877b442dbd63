import { test } from 'vitest';
import { IS_FULL } from './durations.ts';

const none = Object.assign(() => {}, { each: () => () => {}, concurrent: () => {} });

/** Defines a test for `npm run test:full`: what it claims takes too long for every change. */
export const testInFull = IS_FULL ? test : (none as unknown as typeof test);
