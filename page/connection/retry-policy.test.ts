import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfterMs, retryDelayMs } from './retry-policy.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the wait before another attempt', () => {
  it('is never longer than a second where the server cannot be reached, however often it failed', () => {
    fc.assert(
      fc.property(fc.nat(), random, (failures, chance) => {
        const delayMs = retryDelayMs({ kind: 'unreachable' }, failures, () => chance);
        return delayMs >= 125 && delayMs <= 1000;
      }),
    );
  });

  it('differs from screen to screen', () => {
    const delay = (chance: number) => retryDelayMs({ kind: 'unreachable' }, 9, () => chance);
    expect([delay(0), delay(0.5)]).toEqual([500, 750]);
  });

  it.each([429, 503])('is what the server asked for with %i, and at most a second more', (status) => {
    const refusal = { kind: 'refused', status, retryAfterMs: 30_000 } as const;
    expect(retryDelayMs(refusal, 0, () => 0)).toBe(30_000);
    expect(retryDelayMs(refusal, 50, () => 0.999)).toBeLessThan(31_000);
  });

  it('grows to eight seconds for a refusal that names no time, to one for a server that is broken', () => {
    const delay = (status: number) =>
      retryDelayMs({ kind: 'refused', status, retryAfterMs: undefined }, 50, () => 1);
    expect([delay(401), delay(429), delay(500), delay(503)]).toEqual([8000, 8000, 1000, 1000]);
  });
});

describe('Retry-After', () => {
  const read = (value?: string) =>
    readRetryAfterMs(new Response(null, value === undefined ? {} : { headers: { 'retry-after': value } }));

  it('is read in seconds', () => {
    expect(read('3')).toBe(3000);
  });

  it('is nothing where it is absent, no number, a date, or longer than a timer can be', () => {
    const texts = [undefined, 'soon', '', '-1', '9999999', 'Thu, 01 Jan 1970 00:00:07 GMT'];
    expect(texts.map(read)).toEqual(Array(6).fill(undefined));
  });
});
