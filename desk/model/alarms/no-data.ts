import { BUCKET_MS } from '../series/minute.ts';
import type { Alarm } from './alarm.ts';
import type { AlarmFinding, AlarmInputs, WaitReason } from './evaluation.ts';
import { BACK_FOR_MS, GATES_BEFORE_KICK_OFF_MS, STALE_MS } from './limits.ts';
import type { Situation } from './situation.ts';

/** Finds whether the tickets are unobserved while people enter. */
export function findNoData(
  { staleForMs, log, nowMs, behindMs = 0 }: AlarmInputs,
  situation: Situation | WaitReason,
  active: readonly Alarm[],
): readonly AlarmFinding[] {
  const subject = { rule: 'no-data', sector: null } as const;
  const isActive = active.some(({ rule }) => rule === 'no-data');
  const opensAtMs = log.gatesOpenAtMs ?? (log.kickOffAtMs ?? Infinity) - GATES_BEFORE_KICK_OFF_MS;
  const isWaitedFor = (typeof situation !== 'string' || situation === 'not-live') && nowMs >= opensAtMs;
  if (!isWaitedFor) return isActive ? [{ ...subject, verdict: 'withdrawn' }] : [];
  if (staleForMs !== null && staleForMs >= STALE_MS) {
    return [{ ...subject, verdict: 'holds', figures: { staleMs: Math.max(0, staleForMs - behindMs) } }];
  }
  if (!isActive) return [];
  return [{ ...subject, verdict: isBack(situation) ? 'resolved' : 'unknown' }];
}

function isBack(situation: Situation | WaitReason): boolean {
  if (typeof situation === 'string') return false;
  const { atMs, windows } = situation;
  const boundaries = BACK_FOR_MS / BUCKET_MS;
  return windows.observedMs[boundaries] === atMs - BACK_FOR_MS;
}
