import { defineConfig } from 'vitest/config';

const BROWSER = 'tests/browser/**/*.test.ts';
const FAULTS = 'tests/faults/**/*.test.ts';
const POSTGRES = ['**/*.pg{,.long,.full}.test.ts', 'tests/*.test.ts', 'tests/{relay,security}/**/*.test.ts'];
const SCOPE = process.env['TRIAGEM_TEST_SCOPE'];
/** They take all of the machine, and measure it: one at a time, after all the others. In a full run every fault does. */
const WHOLE_MACHINE = SCOPE === 'full' ? FAULTS : 'tests/faults/**/*.full.test.ts';
/** `npm test` without a filter leaves out what takes long; `npm run check` only what takes a machine for minutes. */
const NEVER = [
  'node_modules/**',
  'build/**',
  '.triagem/**',
  ...(SCOPE === 'quick' ? ['**/*.long.test.ts'] : []),
  ...(SCOPE === 'full' ? [] : ['**/*.full.test.ts']),
];

/** Most tests wait more than they work: three times as many at once as a small machine has cores. */
const WORKERS = 6;
/**
 * Ends what hangs, and nothing else: what a test promises has limits of its own, by a clock that stands still while others
 * have the processor. Faults that last as long as in the field take minutes.
 */
const TEST_TIMEOUT_MS = SCOPE === 'full' ? 600_000 : 240_000;
const ON_POSTGRES = {
  exclude: NEVER,
  globalSetup: ['testing/database/shared-cluster.ts'],
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  maxWorkers: WORKERS,
  setupFiles: ['testing/close-after-tests.ts'],
  // Most of a file's time would go into reading the same modules again; none leaves anything behind in them.
  isolate: false,
  // Node strips the types itself, with less of the processor. It has no JSX, which only unit tests import.
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...NEVER, ...POSTGRES, FAULTS, BROWSER],
          setupFiles: ['testing/close-after-tests.ts'],
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
          isolate: false,
          maxWorkers: WORKERS,
        },
      },
      { test: { ...ON_POSTGRES, name: 'postgres', include: POSTGRES } },
      { test: { ...ON_POSTGRES, name: 'faults', include: [FAULTS], exclude: [...NEVER, WHOLE_MACHINE] } },
      {
        test: {
          ...ON_POSTGRES,
          name: 'browser',
          include: [BROWSER],
          globalSetup: [...ON_POSTGRES.globalSetup, 'testing/browser/built-screens.ts'],
        },
      },
      {
        test: {
          ...ON_POSTGRES,
          name: 'whole-machine',
          include: [WHOLE_MACHINE],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
