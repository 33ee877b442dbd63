/** Kick-off as set, and postponed by so many minutes: what a match is put off by is mostly one of these. */
export const POSTPONED_MIN = [0, 10, 15, 30] as const;

/** So many minutes before kick-off a forecast is noted in the log: early, then as often as there is time to act. */
export const STORED_AT_MIN = [90, 60, 45, 30, 15] as const;

/** The curve of an earlier match begins so many minutes before kick-off: two hours, when few have come. */
export const CURVE_FROM_MIN = 120;
/** And it ends so many minutes after: half an hour of postponement, and the latest crowd beyond it. */
export const CURVE_TO_MIN = 60;
