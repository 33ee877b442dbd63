import { expect } from 'vitest';
import { positionOf } from '../../../domain/live-message.ts';
import type { TestCluster } from '../../../testing/cluster.ts';
import { recount } from '../../../testing/oracle.ts';
import type { Screen } from '../../../testing/screen.ts';
import { until } from '../../../testing/until.ts';

/** What these screens show becomes what SQL counts in this cluster. */
export async function expectCounted(
  screens: readonly Pick<Screen, 'board'>[],
  { database }: TestCluster,
): Promise<void> {
  await until(async () => {
    const counts = await recount(database.admin);
    for (const { board } of screens) expect(board.shown?.counts).toEqual(counts);
  });
}

/** Of the tickets from `first` on whose entry was acknowledged, how many it does not know of. */
export async function countMissing({ database }: TestCluster, first: number, count: number): Promise<number> {
  const [{ missing }] = await database.admin<[{ missing: number }]>`
    select count(*)::int as missing from tickets
    where not entrou and substring(id from 2)::int between ${first} and ${first + count - 1}`;
  return missing;
}

/** Of the state with this id. */
export function timelineOf(id: string): string {
  return positionOf(id).split('.')[1]?.slice(0, 8) ?? '';
}

export function unixNow(): number {
  return performance.timeOrigin + performance.now();
}
