import { defineConfig } from 'vitest/config';

/** The unit tests that `npm run mutate` judges: those beside what it changes. */
export default defineConfig({
  test: {
    include: [
      '{domain,board/counting,page/trust}/**/*.test.ts',
      'page/*.test.ts',
      'board/fan-out/frame-pacing.test.ts',
    ],
    exclude: ['**/*.{pg,long,full}.test.ts'],
    setupFiles: ['testing/close-after-tests.ts'],
    testTimeout: 240_000,
    isolate: false,
  },
});
