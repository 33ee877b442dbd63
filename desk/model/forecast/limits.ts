/** Forecasts are for kick-off as set, and for these usual postponements. */
export const POSTPONED_MIN = [0, 10, 15, 30] as const;

/** Forecasts are recorded at these minutes before kick-off: early, then as often as there is time to act. */
export const STORED_AT_MIN = [90, 60, 45, 30, 15] as const;

/** A forecast is recorded up to this much later than due, by a server that has just started. */
export const STORED_LATE_MS = 2 * 60_000;

/** A forecast is judged this long after its kick-off even without the count: a standby's minutes are confirmed by then. */
export const JUDGED_LATE_MS = 30 * 60_000;

/** "Of the last 12 ranges": a season's matches of one kind, few enough to reveal a change. */
export const JUDGED_RANGES = 12;

/** The curve of an earlier match begins this many minutes before kick-off, when few people have come. */
export const CURVE_FROM_MIN = 120;
/** The curve ends this many minutes after kick-off, which covers half an hour of postponement and the latest crowd. */
export const CURVE_TO_MIN = 60;

/** A match is used only if its minutes begin at least this many minutes before kick-off. */
export const OBSERVED_FROM_MIN = 60;

/** A curve bridges up to this many missing minutes: how entries are spread within them matters less than noise. */
export const BRIDGED_MIN = 5;

/** A kick-off up to this much later than planned is postponed: people come as before. Beyond that the plan has changed. */
export const MAX_POSTPONED_MS = 60 * 60_000;

/** The newest matches that are used: a season at home. Older ones had other gates and another crowd. */
export const MAX_MATCHES = 20;

/** A range needs this many earlier matches, as it spans from the smallest to the largest error. */
export const MIN_MATCHES = 3;

/** A percentage needs this many: another match is beyond the eighth of nine deviations in two of ten cases. */
export const MIN_MATCHES_FOR_COVERAGE = 9;

/** The share of ranges that should hold. A higher one needs more than nine matches, a lower one helps nobody act. */
export const COVERAGE = 0.8;

/** The final share is known of matches that were observed until this many minutes after kick-off. */
export const ALL_CAME_MIN = 30;

/** The usual curve is shifted from this many minutes before kick-off on: earlier, a late crowd looks like a small one. */
export const SHIFT_FROM_MIN = 60;

/** The crowd is assumed to be at most this many minutes earlier or later than usual. */
export const MAX_LATENESS_MIN = 20;

/** The counts of this many minutes ago are compared with the usual curve. Ten minutes show its slope. */
export const COMPARED_MIN = [10, 5, 0] as const;

/** The cost of a minute of lateness, as a share of the valid tickets: on a flat curve no lateness is the best guess. */
export const LATENESS_COST = 0.002;

/** The shifted forecast is corrected from this many minutes before kick-off on: earlier, errors follow no predictor. */
export const CORRECTED_FROM_MIN = 45;

/**
 * How errors on the logit scale follow the predictors. `deviation` is their usual size (pace: a share of the valid tickets in
 * five minutes, divided by the root of the expected share; lateness: minutes), `slope` the assumed error per deviation, and
 * `matches` the weight of that assumption. Lateness is overestimated where chance looks like it, hence its slope.
 */
export const CORRECTION = {
  pace: { deviation: 0.06, slope: 0, matches: 10 },
  lateness: { deviation: 8, slope: 0.03, matches: 24 },
} as const;

/** Where a smaller share of the valid tickets is expected in five minutes, the pace means little. */
export const MIN_PACE_SHARE = 0.01;

/** Shares are kept this far from 0 and 1, where the logit diverges. */
export const MIN_SHARE = 0.002;

/**
 * Sectors that are marked, but for those with an estimate, are left out as long as they have less than this share of the
 * valid tickets: about the width of a range half an hour before kick-off.
 */
export const MAX_LEFT_OUT_SHARE = 0.25;

/** Arrivals count as over when all but this share are in: the last ones come one by one for long. */
export const ALL_BUT_SHARE = 0.02;

/** Today's flow is not scaled by a usual flow below this share of the valid tickets in five minutes. */
export const MIN_USUAL_SHARE = 0.002;
