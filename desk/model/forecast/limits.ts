/** Kick-off as set, and postponed by so many minutes: what a match is put off by is mostly one of these. */
export const POSTPONED_MIN = [0, 10, 15, 30] as const;

/** So many minutes before kick-off a forecast is noted in the log: early, then as often as there is time to act. */
export const STORED_AT_MIN = [90, 60, 45, 30, 15] as const;

/** A forecast is noted up to so much later than it is due: a server that starts then has not missed it. */
export const STORED_LATE_MS = 2 * 60_000;

/** So long after its kick-off a forecast is judged without who was in then: a standby's minutes are known by then. */
export const JUDGED_LATE_MS = 30 * 60_000;

/** "Of the last 12 ranges": as many as a season has matches of one kind, few enough to tell a change. */
export const JUDGED_RANGES = 12;

/** The curve of an earlier match begins so many minutes before kick-off: two hours, when few have come. */
export const CURVE_FROM_MIN = 120;
/** And it ends so many minutes after: half an hour of postponement, and the latest crowd beyond it. */
export const CURVE_TO_MIN = 60;

/** A match whose minutes begin later than so many minutes before kick-off tells too little to be a base. */
export const WATCHED_FROM_MIN = 60;

/** Minutes on end that a curve is bridged over: how the entries are spread within changes no share by more than noise. */
export const BRIDGED_MIN = 5;

/** A kick-off up to so much later than planned is postponed: who is on the way comes as before. Later, it is another plan. */
export const MOST_POSTPONED_MS = 60 * 60_000;

/** Of the newest matches: a season at home. Older ones had other gates and another crowd. */
export const MOST_MATCHES = 20;

/** From so many earlier matches on there is a range: from the smallest to the largest error of three. */
export const LEAST_MATCHES = 3;

/** From so many on it has a percentage: that of another match is beyond the eighth of nine deviations in two of ten. */
export const LEAST_MATCHES_FOR_COVERAGE = 9;

/** The share of ranges that are to hold. A higher one would need more than nine matches, a lower one helps nobody act. */
export const COVERAGE = 0.8;

/** The share that comes in the end is known of matches that were watched for so many minutes after kick-off. */
export const ALL_CAME_MIN = 30;

/** From so many minutes before kick-off on the usual curve is shifted: before, too few have come to tell late from few. */
export const SHIFT_FROM_MIN = 60;

/** The crowd is taken to be at most so many minutes earlier or later than usual. */
export const MOST_LATENESS_MIN = 20;

/** What is compared with the usual curve: who was in so many minutes ago. Ten minutes show its slope. */
export const COMPARED_MIN = [10, 5, 0] as const;

/** What each minute of lateness costs, as a share of the valid tickets: where curves are flat, no lateness is the best guess. */
export const LATENESS_COST = 0.002;

/** From so many minutes before kick-off on the shifted forecast is corrected: before, few have come, and errors follow no sign. */
export const CORRECTED_FROM_MIN = 45;

/**
 * How errors on the logit follow what is known then: `deviation` is one of usual size (of the pace: a share of the valid
 * tickets in five minutes, by the root of the one that was expected; of lateness: minutes), `slope` what is assumed for one
 * such, and `matches` how many earlier ones that assumption is worth. Of the pace nothing is assumed, ten matches decide as
 * much as that does. Lateness is found too large wherever chance is taken for it, so that a little of it is not believed.
 */
export const CORRECTION = {
  pace: { deviation: 0.06, slope: 0, matches: 10 },
  lateness: { deviation: 8, slope: 0.03, matches: 24 },
} as const;

/** Where fewer are expected in five minutes than this share of the valid tickets, more or fewer of them tell little. */
export const LEAST_PACE_SHARE = 0.01;

/** A share of those pending is at least this, and at most one less this: beyond, the logit has no measure. */
export const LEAST_SHARE = 0.002;

/**
 * Where sectors are marked and nobody has estimated, the rest is forecast as long as they have less than this share of the
 * valid tickets: no more is left out than a range leaves open half an hour before kick-off.
 */
export const MOST_LEFT_OUT_SHARE = 0.25;

/** Of those who come, all but this share are in when the rest is said to be: the last ones come one by one for long. */
export const ALL_BUT_SHARE = 0.02;

/** Where usually fewer enter in five minutes than this share of the valid tickets, today's flow is no multiple of that. */
export const LEAST_USUAL_SHARE = 0.002;
