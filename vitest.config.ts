import { defineConfig } from 'vitest/config';

const BROWSER = 'tests/browser/**/*.test.ts';
const POSTGRES = [
  '**/*.pg.test.ts',
  'tests/*.test.ts',
  'tests/faults/**/*.test.ts',
  'tests/security/**/*.test.ts',
];
const NEVER = ['node_modules/**', 'build/**', '.triagem/**'];

export default defineConfig({
  test: {
    // Two cores: more workers would only take each other's time.
    maxWorkers: 2,
    projects: [
      {
        test: { name: 'unit', include: ['**/*.test.ts'], exclude: [...NEVER, ...POSTGRES, BROWSER] },
      },
      {
        test: {
          name: 'postgres',
          include: POSTGRES,
          exclude: NEVER,
          globalSetup: 'tests/support/shared-cluster.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: [BROWSER],
          exclude: NEVER,
          globalSetup: ['tests/support/shared-cluster.ts', 'tests/support/built-screens.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
