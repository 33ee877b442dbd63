import { MINUTE_MS } from '../series/minute.ts';

/*
 * Every number that the rules of alarms use, with what justifies it. How often they were right is measured by
 * `npm run bench -- alarms`, and said in docs/flow.md. Durations are milliseconds, rates people a minute.
 */

// What is watched.

/** A reconnect to the database takes seconds: so long without a watched boundary takes nothing from a count over minutes. */
export const MAX_UNWATCHED_MS = MINUTE_MS;
/** The rate before is that of ten minutes: at five people a minute it is known within ± 15 %. */
export const BASE_MS = 10 * MINUTE_MS;
/** After a gap, the ten minutes before it say what is usual, if they ended no longer ago: later, the crowd is another. */
export const MAX_BASE_AGE_MS = 20 * MINUTE_MS;

// Nobody enters in a sector.

/** Thirty people were to be expected, and none came: in groups of three, that is ten groups, e^-10 by accident. */
export const EXPECTED_IN_SILENCE = 30;
/** Nobody acts on less than two minutes, and a turnstile may be changed in one. */
export const MIN_SILENCE_MS = 2 * MINUTE_MS;
/** Below, thirty people take more than a quarter of an hour. */
export const MIN_RATE_TO_STOP = 2;
/** The rate before ended so long ago, at least: a stop that begins slowly must not lower what it is compared with. */
export const BASE_DELAY_MS = 3 * MINUTE_MS;
/** Within this, so many must enter again: a few who are let through by hand are no open gate. */
export const RESUMED_WITHIN_MS = MINUTE_MS;
export const RESUMED_SHARE = 1 / 4;
/** One person may be let through anywhere. */
export const MIN_RESUMED = 2;

// Fewer enter in a sector than before, and than elsewhere.

/** Over five minutes a sector at five people a minute has a count that can be compared. */
export const DROP_WINDOW_MS = 5 * MINUTE_MS;
/** Below so many expected in the window, halves happen by accident. */
export const MIN_EXPECTED_TO_DROP = 25;
/** Smaller drops cannot be told from accident at the counts of one sector: a rule that says so cries wolf. */
export const DROPPED_BELOW = 0.5;
/** So many standard deviations below: 61 sectors are looked at every ten seconds for two hours. */
export const DROP_DEVIATIONS = 3.5;
/** Groups and buses: counts of a minute vary that many times more than people who come singly. */
export const DROP_VARIANCE = 2.5;
/** What does not last a minute needs nobody. */
export const DROP_HELD_MS = MINUTE_MS;
/** Clearly more than the half that raises it, and for two minutes: what goes up and down around a half is one alarm. */
export const RECOVERED_ABOVE = 0.75;
export const RECOVERED_FOR_MS = 2 * MINUTE_MS;
/** Below so many expected in the window there is nothing left to recover. */
export const MIN_EXPECTED_TO_HOLD = 5;
/** After a stop is over, until the window and the ten minutes before it have nothing of the stop and its rush in them. */
export const DROP_AFTER_STOP_MS = DROP_WINDOW_MS + BASE_MS;

// Fewer enter in the whole ground.

/** All sectors together have counts enough for three minutes. */
export const GROUND_WINDOW_MS = 3 * MINUTE_MS;
/** Fewer than that in three minutes are no crowd that could drop. */
export const GROUND_MIN_EXPECTED = 50;
/** Between two waves of spectators the flow falls to 0.44 of the ten minutes before by itself. */
export const GROUND_DROPPED_BELOW = 0.4;
/** The whole crowd has no others to be compared with: its own rise and fall must not be taken for a drop. */
export const GROUND_DEVIATIONS = 4;
/** What all sectors have in common (trains, rain, the bars outside) varies more than one of them by itself. */
export const GROUND_VARIANCE = 4;

// When the rules of the flow apply.

/** The share of valid tickets that come, where most do: beyond it, nobody is missed. */
export const MOST_WHO_COME = 0.97;
/**
 * The share that comes where few do. From five minutes before kick-off on, a sector beyond it may simply have everybody in;
 * one that is not has many outside, and that is the late crowd for which the rules go on.
 */
export const FEWEST_WHO_COME = 0.82;
/** Before that, hardly any crowd is all in. */
export const LATE_BEFORE_KICK_OFF_MS = 5 * MINUTE_MS;
/** So many must still be expected, or that share of the valid tickets: the last ones come as they like. */
export const MIN_PENDING = 20;
export const PENDING_SHARE_TO_STOP = 0.03;
/** With fewer left, the flow of a sector falls by itself. */
export const PENDING_SHARE_TO_DROP = 0.05;
/** Of those who are late, most are in a quarter of an hour after kick-off; then a sector may be quiet. */
export const STOP_ENDS_AFTER_KICK_OFF_MS = 15 * MINUTE_MS;
/** A drop is worth a look while a queue is still there; five minutes after kick-off every flow falls. */
export const DROP_ENDS_AFTER_KICK_OFF_MS = 5 * MINUTE_MS;
/** At kick-off the crowd of the whole ground ends at once. */
export const GROUND_DROP_ENDS_AFTER_KICK_OFF_MS = 0;
/** Where nobody says when the gates open: so long before kick-off nobody waits for data. */
export const GATES_BEFORE_KICK_OFF_MS = 180 * MINUTE_MS;

// Several sectors stop.

/** Gates have no common cause: three that stop together have the source, the network or the power in common. */
export const SEVERAL = 3;
/** Their last entries before a common cause lie seconds apart, where few enter up to two minutes. */
export const TOGETHER_MS = 2 * MINUTE_MS;
/** What they have in common comes back for all of them, but each is seen to go on at another boundary. */
export const LEAVES_WITHIN_MS = MINUTE_MS;

// No data.

/** A restart of the database or of the board takes less. */
export const STALE_MS = 30_000;
/** Data that come and go are no data: they are back once they were watched for so long. */
export const BACK_FOR_MS = MINUTE_MS;

// Permitted capacity.

/** At a pace that fills a sector in an hour, nine minutes before it is full: time to send somebody. */
export const NEAR_CAPACITY = 0.85;
/** The last twentieth takes three minutes at that pace: turnstiles close when a sector is about to be full, not after. */
export const AT_CAPACITY = 0.95;
/** Beyond it, more are in than the law lets in. */
export const FULL_CAPACITY = 1;
/** So much of the capacity below a level ends it: corrections of single entries must not. */
export const CAPACITY_HYSTERESIS = 0.01;

// What asks for somebody again.

/** After an acknowledgement: whoever was sent has reached the gate by then. */
export const AGAIN_AFTER_MS = 5 * MINUTE_MS;
