import { defineConfig } from 'vitest/config';

const BROWSER = 'tests/browser/**/*.test.ts';
const FAULTS = 'tests/faults/**/*.test.ts';
/** Quick enough for every run. The other faults kill servers, stall links and load millions of tickets. */
const QUICK_FAULTS = 'tests/faults/{cut-from-its-table,refused-databases,walsender-terminated}.test.ts';
const POSTGRES = ['**/*.pg.test.ts', 'tests/*.test.ts', 'tests/security/**/*.test.ts', QUICK_FAULTS];
const NEVER = ['node_modules/**', 'build/**', '.triagem/**'];

export default defineConfig({
  test: {
    // Two cores: more workers would only take each other's time.
    maxWorkers: 2,
    projects: [
      {
        test: { name: 'unit', include: ['**/*.test.ts'], exclude: [...NEVER, ...POSTGRES, FAULTS, BROWSER] },
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
          name: 'faults',
          include: [FAULTS],
          exclude: [...NEVER, QUICK_FAULTS],
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
