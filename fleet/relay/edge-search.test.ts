import { expect, test } from 'vitest';
import { EdgeSearch } from './edge-search.ts';

function open({ servers = 3, allowanceMs = 0, isAlone = false } = {}) {
  const link = {
    server: { host: 'nats-1', port: 4222 },
    connectedAtMs: 0,
    notConnectedReason: undefined as string | undefined,
    allowanceMs,
    changeToNext: () => {
      changedAtMs.push(nowMs);
      if (!isAlone) link.connectedAtMs = nowMs;
    },
  };
  const changedAtMs: number[] = [];
  let nowMs = 0;
  const search = new EdgeSearch({ link, servers });
  /** Returns when it changed, looking four times a second. */
  const look = (hasContact: boolean, forMs: number): readonly number[] => {
    changedAtMs.length = 0;
    for (const endMs = nowMs + forMs; nowMs < endMs;) {
      nowMs += 250;
      search.check(hasContact, nowMs);
    }
    return [...changedAtMs];
  };
  return { link, look };
}

test.each([
  { what: 'changes to the next server; if none asks there', isAlone: false },
  { what: 'tries the next servers; if none lets it in', isAlone: true },
])('a counter that no edge asks any more $what, ever more slowly', ({ isAlone }) => {
  const { look } = open({ isAlone });
  expect(look(true, 10_000)).toEqual([]);
  expect(look(false, 20_000)).toEqual([11_750, 14_000, 18_250, 26_500]);
  expect(look(false, 600_000).length).toBeLessThan(14);
  look(true, 250);
  expect(look(false, 2_000)).toHaveLength(1);
});

test('over a slow link, without a connection, or with one server, it stays', () => {
  expect(open({ servers: 1 }).look(false, 60_000)).toEqual([]);
  expect(open({ allowanceMs: 2_000 }).look(false, 3_500)).toEqual([]);
  const { link, look } = open();
  link.notConnectedReason = 'connecting';
  expect(look(false, 60_000)).toEqual([]);
});
