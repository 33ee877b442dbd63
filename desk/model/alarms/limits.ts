import { BUCKET_MS, MINUTE_MS } from '../series/minute.ts';

/*
 * Every number of the rules of alarms, with its reason. `npm run bench -- alarms` measures how often they are right
 * (docs/flow.md). Durations are milliseconds, rates people per minute.
 */

// Observation.

/** Reconnecting to the database takes seconds: a shorter pause does not distort a count over minutes. */
export const MAX_UNOBSERVED_MS = MINUTE_MS;
/** The base rate spans ten minutes: at five people a minute it is exact to ± 15 %. */
export const BASE_MS = 10 * MINUTE_MS;
/** The ten minutes before a gap are the base for at most this long: after that, another crowd is coming. */
export const MAX_BASE_AGE_MS = 20 * MINUTE_MS;

// Nobody enters in a sector.

/** If people come in groups of three, thirty are ten groups, and no group comes by chance with a probability of e^-10. */
export const EXPECTED_IN_SILENCE = 30;
/** Operators do not act on a shorter silence, and it may take a minute to replace a turnstile. */
export const MIN_SILENCE_MS = 2 * MINUTE_MS;
/** Below this rate, thirty people take more than a quarter of an hour. */
export const MIN_RATE_TO_STOP = 2;
/** The base ends at least this long ago, so that a stop that begins slowly does not lower it. */
export const BASE_DELAY_MS = 3 * MINUTE_MS;
/** A sector has resumed when its count over this time reaches RESUMED_SHARE of the base rate. */
export const RESUMED_WITHIN_MS = MINUTE_MS;
/** A smaller share may be people whom the staff let through a closed gate by hand. */
export const RESUMED_SHARE = 1 / 4;
/** A single entry is never a sign that a sector has resumed. */
export const MIN_RESUMED = 2;

// Fewer enter in a sector than before, and than elsewhere.

/** A sector's count over five minutes can be compared from five people a minute on. */
export const DROP_WINDOW_MS = 5 * MINUTE_MS;
/** The count halves by chance if fewer are expected in the window. */
export const MIN_EXPECTED_TO_DROP = 25;
/** Smaller drops cannot be distinguished from chance at the counts of one sector. */
export const DROPPED_BELOW = 0.5;
/** A drop is at least this many standard deviations, as 61 sectors are checked every ten seconds for two hours. */
export const DROP_DEVIATIONS = 3.5;
/** The variance of counts, relative to that of people who come one by one: groups and buses increase it. */
export const DROP_VARIANCE = 2.5;
/** A shorter drop needs no action. */
export const DROP_HELD_MS = MINUTE_MS;
/** The flow must stay clearly above the half that raises the alarm, so that a flow around a half raises one alarm only. */
export const RECOVERED_ABOVE = 0.75;
export const RECOVERED_FOR_MS = 2 * MINUTE_MS;
/** If fewer are expected in the window, the drop is over, as there is nothing left to recover. */
export const MIN_EXPECTED_TO_HOLD = 5;
/** This long after a stop, neither window nor base includes the stop or the rush after it. */
export const DROP_AFTER_STOP_MS = DROP_WINDOW_MS + BASE_MS;

// Fewer enter in the whole ground.

/** Three minutes suffice for the counts of all sectors together. */
export const GROUND_WINDOW_MS = 3 * MINUTE_MS;
/** Fewer people in three minutes are no crowd. */
export const GROUND_MIN_EXPECTED = 50;
/** Between two waves of spectators the flow falls to 0.44 of the base by itself. */
export const GROUND_DROPPED_BELOW = 0.4;
/** The whole crowd cannot be compared with others: its own rise and fall must not count as a drop. */
export const GROUND_DEVIATIONS = 4;
/** Common causes (trains, rain, the bars outside) vary more than one sector by itself. */
export const GROUND_VARIANCE = 4;

// When the rules of the flow apply.

/** The largest share of valid tickets whose holders come. Beyond it nobody is expected. */
export const MAX_ATTENDANCE = 0.97;
/**
 * The smallest share of valid tickets whose holders come. From five minutes before kick-off on, everybody may be in a sector
 * that has reached it. Below it, a late crowd is still outside.
 */
export const MIN_ATTENDANCE = 0.82;
/** Before that, hardly any crowd is complete. */
export const LATE_BEFORE_KICK_OFF_MS = 5 * MINUTE_MS;
/**
 * The rules apply while at least this many people, or this share of the valid tickets, are expected: the last people come
 * irregularly.
 */
export const MIN_PENDING = 20;
export const PENDING_SHARE_TO_STOP = 0.03;
/** The flow of a sector falls by itself once a smaller share is left. */
export const PENDING_SHARE_TO_DROP = 0.05;
/** Most late people are in a quarter of an hour after kick-off; then a sector may be quiet. */
export const STOP_ENDS_AFTER_KICK_OFF_MS = 15 * MINUTE_MS;
/** Five minutes after kick-off every flow falls. */
export const DROP_ENDS_AFTER_KICK_OFF_MS = 5 * MINUTE_MS;
/** The crowd of the whole ground ends at kick-off. */
export const GROUND_DROP_ENDS_AFTER_KICK_OFF_MS = 0;
/** If the gates have no opening time, data are expected from this long before kick-off. */
export const GATES_BEFORE_KICK_OFF_MS = 180 * MINUTE_MS;

// Several sectors stop.

/** Three sectors that stop together have a common cause: the source, the network or the power. */
export const SEVERAL = 3;
/** Their last entries before a common cause are seconds apart, or up to two minutes where few people enter. */
export const TOGETHER_MS = 2 * MINUTE_MS;
/** After a common cause all sectors resume, but may be found to at different boundaries. */
export const LEAVES_WITHIN_MS = MINUTE_MS;

// No data.

/** A restart of the database or of the board is shorter. */
export const STALE_MS = 30_000;
/** Data are back once two boundaries have been observed. */
export const BACK_FOR_MS = BUCKET_MS;

// Permitted capacity.

/** Nine minutes are left to send somebody, at a pace that fills a sector in an hour. */
export const NEAR_CAPACITY = 0.85;
/** The last twentieth takes three minutes at that pace: turnstiles close when a sector is about to be full, not after. */
export const AT_CAPACITY = 0.95;
/** Above it, more people are in than the law permits. */
export const FULL_CAPACITY = 1;
/** The lower levels end this far below their thresholds, so that corrections of single entries do not end them. */
export const CAPACITY_HYSTERESIS = 0.01;

// Alarms that call again.

/** This long after an acknowledgement, somebody has reached the gate. */
export const AGAIN_AFTER_MS = 5 * MINUTE_MS;
