import { defineConfig } from 'vitest/config';

/** The unit tests that `npm run mutate` judges: those beside what it changes. */
export default defineConfig({
  test: {
    include: [
      '{domain,server/counting,web/live/trust}/**/*.test.ts',
      'web/live/*.test.ts',
      'server/fan-out/frame-pacing.test.ts',
    ],
    exclude: ['**/*.{pg,long,full}.test.ts'],
    setupFiles: ['testing/close-after-tests.ts'],
    testTimeout: 240_000,
    isolate: false,
  },
});
