import { expect, test } from 'vitest';
import { until } from '../../testing/until.ts';
import { QuietStreams } from './quiet-streams.ts';

test('each of many streams is looked at in turn, and none once it has left', async () => {
  const quiet = new QuietStreams(200);
  const looks = Array.from({ length: 1_000 }, () => 0);
  const leave = looks.map((_, index) =>
    quiet.add({ breakSilence: () => void (looks[index] = (looks[index] ?? 0) + 1) }),
  );
  await until(() => expect(Math.min(...looks)).toBeGreaterThan(5));
  expect(Math.max(...looks) - Math.min(...looks)).toBeLessThanOrEqual(1);
  leave[0]?.();
  leave[0]?.();
  const [left, stays] = looks;
  await until(() => expect(looks[1]).toBeGreaterThan((stays ?? 0) + 3));
  expect(looks[0]).toBe(left);
  quiet.stop();
});
