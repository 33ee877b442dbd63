import type { Alarm } from '../../model/alarms/alarm.ts';
import { estimatedIn, uncountedMarks } from '../../model/log/uncounted.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { formatShare } from '../figure-format.ts';
import { listNames, sectorName } from '../actions/sector-name.ts';
import { estimateWords } from '../span-words.ts';
import { MAX_NAMES } from './alarm-contact.ts';
import { figuresAtMs, figuresOf, isLive, type SentenceView, time, untilKnown } from './sentence-words.ts';

type CapacityAlarm = Extract<Alarm, { rule: `${'near' | 'at' | 'above'}-capacity` }>;

export function fullSentence(alarm: CapacityAlarm, view: SentenceView): string {
  const { admitted, capacity, estimated, percent, isKnown, isAtLeast } = fillOf(alarm, view);
  const unread = estimated === null ? '' : ` + ${estimateWords(estimated)}`;
  const counts = `${formatCount(admitted)} registrados${unread}, ${formatCount(capacity)} permitidos: ${percent}`;
  const fill = isAtLeast ? `No mínimo ${counts}` : counts;
  if (!isKnown) return `${fill} às ${time(figuresAtMs(alarm), view)}.`;
  if (!isLive(view)) return `${fill}${untilKnown(view)}.`;
  const left = capacity - admitted;
  if (left < 0) {
    const more = estimated === null ? '' : `, com a estimativa cerca de ${formatCount(estimated - left)}`;
    return `${fill}; ${formatCount(-left)} a mais${more}.`;
  }
  const room = left - (estimated ?? 0);
  if (room < 0) return `${fill}; com a estimativa, cerca de ${formatCount(-room)} a mais.`;
  if (room === 0) return `${fill}; ${left === 0 ? '' : 'com a estimativa, '}não cabe mais ninguém.`;
  const most = isAtLeast ? 'no máximo ' : '';
  const less = estimated === null ? '' : `, com a estimativa cerca de ${formatCount(room)}`;
  return `${fill}; cabem ${most}${formatCount(left)}${less}.`;
}

/** Returns whether nobody else fits, by the count and the estimate of people who passed unread. */
export function isFull(alarm: Alarm, view: Pick<SentenceView, 'state'>): boolean {
  return isOfCapacity(alarm) && fillOf(alarm, view).share >= 1;
}

function isOfCapacity(alarm: Alarm): alarm is CapacityAlarm {
  return alarm.rule.endsWith('-capacity');
}

/** Returns the estimate beside the count; one of the whole ground says nothing of a sector. */
export function estimateOf(
  { sector }: Pick<Alarm, 'sector'>,
  { state }: Pick<SentenceView, 'state'>,
): number | null {
  return estimatedIn(uncountedMarks(state.marks, sector), sector);
}

/** Sorts filling sectors, the fullest first. */
export function fullestFirst<A extends CapacityAlarm>(
  alarms: readonly A[],
  view: SentenceView,
): readonly A[] {
  // Browsers of 2022 have no toSorted.
  // oxlint-disable-next-line unicorn/no-array-sort
  return [...alarms].sort((a, b) => fillOf(b, view).share - fillOf(a, view).share);
}

/** "NORTE 91%, SUL DORIL no mínimo 88% e mais 10.", in the order of the alarms. */
export function fillingSentence(alarms: readonly CapacityAlarm[], view: SentenceView): string {
  const names = alarms.map((alarm) => {
    const { percent, isAtLeast } = fillOf(alarm, view);
    return `${sectorName(view.sectors, alarm.sector)} ${isAtLeast ? 'no mínimo ' : ''}${percent}`;
  });
  return `${listNames(names, MAX_NAMES)}${isLive(view) ? '' : untilKnown(view)}.`;
}

/** The current fill with the estimate, as in the sector's row; for an alarm that is over, the fill when it was raised. */
function fillOf(alarm: CapacityAlarm, view: Pick<SentenceView, 'state'>) {
  const figures = figuresOf(alarm, view);
  const known = alarm.returnedAtMs === null ? figures : undefined;
  const admitted = known?.admitted ?? alarm.figures.admitted;
  const capacity = known?.capacity ?? alarm.figures.capacity;
  const estimated = known ? estimateOf(alarm, view) : (alarm.figures.estimated ?? null);
  const inside = admitted + (estimated ?? 0);
  const percent = `${estimated === null ? '' : '~'}${formatShare(inside, capacity) ?? ''}`;
  return {
    admitted,
    capacity,
    estimated,
    percent,
    share: inside / capacity,
    isKnown: known !== undefined,
    isAtLeast: Boolean(figures?.incompleteSinceMs),
  };
}
