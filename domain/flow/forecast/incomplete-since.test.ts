import { expect, test } from 'vitest';
import type { LogRow } from '../flow-log.ts';
import { MINUTE_MS } from '../minute.ts';
import { readIncompleteSince, readIncompleteSpans } from './incomplete-since.ts';

const at = (min: number): number => min * MINUTE_MS;

function logOf(...rows: readonly (Pick<LogRow, 'kind' | 'data' | 'atMs'> & Partial<LogRow>)[]): LogRow[] {
  return rows.map((row, index) =>
    Object.assign({ id: `row ${index}`, sector: '7', seq: index + 1 }, row),
  ) as unknown as LogRow[];
}

const unscanned = (id: string, min: number, sector: string | null = '7') =>
  ({ kind: 'mark', id, atMs: at(min), sector, data: { mark: 'unscanned' } }) as const;
const takenBack = (id: string, min: number) => ({ kind: 'take-back', atMs: at(min), data: { id } }) as const;

test('a sector is incomplete from a mark until it is taken back; marks that overlap are one span', () => {
  const log = logOf(
    unscanned('a', 10),
    unscanned('b', 15),
    takenBack('a', 20),
    takenBack('b', 25),
    unscanned('c', 40),
    unscanned('d', 12, null),
    takenBack('d', 18),
  );
  expect(readIncompleteSpans(log)).toEqual(
    new Map([
      [
        '7',
        [
          { fromMs: at(10), toMs: at(25) },
          { fromMs: at(40), toMs: Infinity },
        ],
      ],
      [null, [{ fromMs: at(12), toMs: at(18) }]],
    ]),
  );
  expect(readIncompleteSince(log)).toEqual(
    new Map([
      ['7', at(10)],
      [null, at(12)],
    ]),
  );
});

test('neither a slip of the hand nor a suspended entry makes a count incomplete', () => {
  const suspended = { kind: 'mark', atMs: at(10), data: { mark: 'suspended' } } as const;
  expect(readIncompleteSpans(logOf(unscanned('a', 10), takenBack('a', 12), suspended)).size).toBe(0);
});
