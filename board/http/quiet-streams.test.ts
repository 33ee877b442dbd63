import { expect, test } from 'vitest';
import { until } from '../../testing/until.ts';
import { QuietStreams } from './quiet-streams.ts';

test('all streams are checked in turn, and none after its removal', async () => {
  const quiet = new QuietStreams(200);
  const checks = Array.from({ length: 1_000 }, () => 0);
  const removals = checks.map((_, index) =>
    quiet.add({ breakSilence: () => void (checks[index] = (checks[index] ?? 0) + 1) }),
  );
  await until(() => expect(Math.min(...checks)).toBeGreaterThan(5));
  expect(Math.max(...checks) - Math.min(...checks)).toBeLessThanOrEqual(1);
  removals[0]?.();
  removals[0]?.();
  const [removed, kept] = checks;
  await until(() => expect(checks[1]).toBeGreaterThan((kept ?? 0) + 3));
  expect(checks[0]).toBe(removed);
  quiet.stop();
});
