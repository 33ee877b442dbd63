import { expect, test } from 'vitest';
import { watchFailures } from './watch-failures.ts';

test('the newest failure is kept with the time since the first one, until a stream begins', async () => {
  const answers: (() => Response)[] = [
    () => {
      throw new TypeError('no network');
    },
    () => new Response(null, { status: 503 }),
    () => new Response('ok'),
    () => new Response(null, { status: 401 }),
  ];
  const watched = watchFailures(async () => answers.shift()?.() ?? new Response('ok'));
  await expect(watched.fetch('/')).rejects.toThrow('no network');
  expect(watched.failure.get()).toEqual({ status: null, lastsMs: expect.any(Number) as number });
  expect((await watched.fetch('/')).status).toBe(503);
  await watched.fetch('/');
  expect(watched.failure.get()).toEqual({ status: 503, lastsMs: expect.any(Number) as number });
  expect((await watched.fetch('/')).status).toBe(401);
  expect(watched.failure.get()).toEqual({ status: 401, lastsMs: 0 });
  watched.opened();
  expect(watched.failure.get()).toBeUndefined();
});
