import {
  hasFields,
  isAbsentOr,
  isFlag,
  isListOf,
  isNullOr,
  isNumber,
  isOneOf,
  isText,
  type Shape,
} from './json-shape.ts';

const isNumberOrNull = isNullOr(isNumber);
const isTextOrNull = isNullOr(isText);

export const isTimed = hasFields({ sentAtMs: isNumber });

const FIGURES = {
  admitted: isNumber,
  valid: isNumber,
  invalid: isAbsentOr(isNumber),
  capacity: isNumberOrNull,
  lastMinute: isNumberOrNull,
  lastFive: isNumberOrNull,
  bestFive: isNumberOrNull,
  lastEntryAtMs: isNumberOrNull,
  incompleteSinceMs: isNumberOrNull,
  entriesPerHour: isAbsentOr(isNumber),
};

const isSourceState: Shape = (value) =>
  hasFields({ live: isFlag })(value) &&
  ((value as { live: boolean }).live || hasFields({ ageMs: isNumber, reason: isText })(value));

const isAlarm = hasFields({
  id: isText,
  rule: isText,
  sector: isTextOrNull,
  figures: hasFields({}),
  sinceMs: isNumber,
  figuresAtMs: isAbsentOr(isNumber),
  returnedAtMs: isNumberOrNull,
  returnedWhy: isAbsentOr(isText),
  acknowledged: isNullOr(hasFields({ atMs: isNumber, by: isTextOrNull, note: isTextOrNull })),
  againAtMs: isNumberOrNull,
  now: isAbsentOr(hasFields({ entered: isNumber, expected: isNumber, windowMs: isNumber })),
});

const isSuspension = hasFields({
  id: isText,
  rule: isText,
  sector: isTextOrNull,
  sinceMs: isNumber,
  untilMs: isNumber,
  reason: isText,
  by: isTextOrNull,
});

const isMark = hasFields({
  id: isText,
  mark: isText,
  sector: isTextOrNull,
  sinceMs: isNumber,
  by: isTextOrNull,
  endedAtMs: isAbsentOr(isNumber),
  estimate: isAbsentOr(hasFields({ count: isNumber, how: isText, by: isTextOrNull, atMs: isNumber })),
});

const isOutlook = hasFields({
  kickOffAtMs: isNumber,
  admitted: isNumber,
  estimated: isAbsentOr(isNumber),
  valid: isNumber,
  expected: hasFields({ count: isNumber, matches: isNumber }),
  perMinuteNeeded: isNumber,
  perMinuteNow: isNumberOrNull,
  perMinuteBest: isNumberOrNull,
  admittedAtBest: isNumberOrNull,
  allInAtMs: isNumberOrNull,
  lateness: isNumberOrNull,
  usual: isNumberOrNull,
  usualPerMinute: isAbsentOr(isNumber),
  usualAtKickOff: isAbsentOr(isNumber),
  range: (value) =>
    hasFields({ why: isText })(value) ||
    hasFields({ low: isNumber, middle: isNumber, high: isNumber, matches: isNumber })(value),
});

const isForecast: Shape = (value) =>
  hasFields({
    kind: isOneOf('none'),
    why: isText,
    coming: isAbsentOr(hasFields({ untilMs: isNumber, without: isAbsentOr(isListOf(isText)) })),
  })(value) ||
  hasFields({
    kind: isOneOf('made'),
    atMs: isNumber,
    total: isNullOr(isListOf(isOutlook)),
    without: isAbsentOr(isListOf(isText)),
    sectors: isListOf(isNullOr(isOutlook)),
  })(value);

/** Whether a value has all fields that the page draws: a missing one would break it much later. */
export const isDeskState: Shape = hasFields({
  eventId: isText,
  timeZone: isText,
  nowMs: isNumber,
  source: isSourceState,
  times: hasFields({
    gatesOpenAtMs: isNumberOrNull,
    kickOffAtMs: isNumberOrNull,
    isKickOffOfDesk: isFlag,
  }),
  total: hasFields(FIGURES),
  rows: isListOf(hasFields({ ...FIGURES, code: isText, state: isText, contact: isAbsentOr(isText) })),
  marks: isListOf(isMark),
  entryClosedAtMs: isNumberOrNull,
  evacuatedAtMs: isNumberOrNull,
  watch: hasFields({ atMs: isNumberOrNull, waits: isTextOrNull }),
  alarms: isListOf(isAlarm),
  suspensions: isListOf(isSuspension),
  forecast: isForecast,
  trackRecord: isListOf(hasFields({ minutesBefore: isNumber, ranges: isNumber, held: isNumber })),
  lastMinuteMs: isNumberOrNull,
  lastSeq: isNumber,
  record: hasFields({
    state: (value) =>
      hasFields({ kind: isOneOf('writer', 'standby') })(value) ||
      hasFields({ kind: isOneOf('away'), reason: isText })(value),
    isKept: isFlag,
    minutesWaiting: isNumber,
    isUnread: isAbsentOr(isFlag),
  }),
  isSplit: isAbsentOr(isFlag),
  readings: isAbsentOr(isListOf(hasFields({ outcome: isText, reason: isText, count: isNumber }))),
});
