import { expect, test } from 'vitest';
import { formatPosition } from '../../domain/log-position.ts';
import { SourceTee } from './source-tee.ts';
import type { SourceObserver } from './ticket-source.ts';

/** Notes each call with what it is given. */
function listen(name: string, calls: unknown[], position: string) {
  return new Proxy({ position } as SourceObserver, {
    get: (target, member) =>
      member === 'position' ? target.position : (...args: unknown[]) => calls.push([name, member, ...args]),
  });
}

test('everything is passed on to both, whole, and to the first one first', () => {
  const calls: unknown[] = [];
  const [here, there] = [formatPosition('1', 1, 1n), formatPosition('1', 1, 2n)];
  const tee = new SourceTee(listen('first', calls, here), listen('second', calls, there));
  expect(tee.position).toBe(here);
  const members = Object.getOwnPropertyNames(SourceTee.prototype).filter(
    (name) => name !== 'constructor' && name !== 'position',
  ) as Exclude<keyof SourceObserver, 'position'>[];
  for (const member of members) {
    // The arguments of a member are named by its number of them.
    const args = Array.from({ length: tee[member].length }, (_, n) => `${member} ${n}`);
    (tee[member] as (...given: unknown[]) => void)(...args);
    expect(calls.splice(0)).toEqual([
      ['first', member, ...args],
      ['second', member, ...args],
    ]);
  }
  expect(members).toHaveLength(11);
});
