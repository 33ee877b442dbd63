import type { AlarmFinding } from './evaluation.ts';
import type { Alarm, AlarmRule } from './alarm.ts';
import { AT_CAPACITY, CAPACITY_HYSTERESIS, FULL_CAPACITY, NEAR_CAPACITY } from './limits.ts';

type CapacityRule = Extract<AlarmRule, `${string}-capacity`>;

/**
 * The levels from the highest down. Each is raised at its share, the highest only above it, and holds as long as the share is
 * above `endsAt`. The highest one holds over no number that fits: the next excess is a new alarm.
 */
const LEVELS: readonly {
  readonly rule: CapacityRule;
  readonly isReached: (share: number) => boolean;
  readonly endsAt: number;
}[] = [
  { rule: 'above-capacity', isReached: (share) => share > FULL_CAPACITY, endsAt: FULL_CAPACITY },
  {
    rule: 'at-capacity',
    isReached: (share) => share >= AT_CAPACITY,
    endsAt: AT_CAPACITY - CAPACITY_HYSTERESIS,
  },
  {
    rule: 'near-capacity',
    isReached: (share) => share >= NEAR_CAPACITY,
    endsAt: NEAR_CAPACITY - CAPACITY_HYSTERESIS,
  },
];

interface Filling {
  /** A row's code; null for the whole ground. */
  readonly sector: string | null;
  readonly admitted: number;
  readonly capacity: number | null;
  /** Whether people passed unread. */
  readonly isIncomplete: boolean;
  /** How many these are, as far as somebody has estimated it. */
  readonly estimated: number;
}

/** Finds the highest level reached, where a capacity is permitted. Its alarm, suspended or not, replaces that of a lower level. */
export function findCapacity(
  { sector, admitted, capacity, isIncomplete, estimated }: Filling,
  active: readonly Alarm[],
): readonly AlarmFinding[] {
  const isActive = (rule: CapacityRule) =>
    active.some((alarm) => alarm.rule === rule && alarm.sector === sector);
  const share = capacity === null ? 0 : (admitted + estimated) / capacity;
  const reached = LEVELS.findIndex(
    ({ rule, isReached, endsAt }) => isReached(share) || (isActive(rule) && share > endsAt),
  );
  return LEVELS.flatMap(({ rule }, place): readonly AlarmFinding[] => {
    if (place === reached && capacity !== null) {
      const figures = {
        admitted,
        capacity,
        ...(isIncomplete && ({ isAtLeast: true } as const)),
        ...(estimated > 0 && { estimated }),
      };
      return [{ rule, sector, verdict: 'holds', figures }];
    }
    if (!isActive(rule)) return [];
    if (capacity === null) return [{ rule, sector, verdict: 'withdrawn' }];
    return [{ rule, sector, verdict: reached !== -1 && place > reached ? 'replaced' : 'resolved' }];
  });
}
