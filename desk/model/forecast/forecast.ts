/**
 * How many people will be in by kick-off, as JSON for desks, unrounded. Counts are people, rates people per minute, instants
 * milliseconds since 1970 by the flow's clock; `null` is unknown.
 */
export type Forecast =
  | {
      readonly kind: 'none';
      readonly why: NoForecast;
      /** When all but a few of those who come are in, after kick-off; absent if unknown. */
      readonly coming?: Coming;
    }
  | {
      readonly kind: 'made';
      readonly atMs: number;
      /**
       * The whole ground at each of POSTPONED_MIN, from its own curve, no range below the one before. Without sectors in
       * which people passed uncounted and unestimated, or whose entry is suspended; null if those are too large a part of it.
       */
      readonly total: readonly Outlook[] | null;
      /** The codes of the sectors that `total` leaves out, if any. */
      readonly without?: readonly string[];
      /** Each sector for kick-off as set; null where people passed uncounted and unestimated. */
      readonly sectors: readonly (Outlook | null)[];
    };

/** Why there is no forecast. */
export type NoForecast = 'no-kick-off' | 'no-data' | 'over' | 'entry-closed' | 'evacuated';

export interface Coming {
  readonly untilMs: number;
  /** The codes of the sectors that are left out, if any. */
  readonly without?: readonly string[];
}

/** The forecast for one kick-off. */
export interface Outlook {
  readonly kickOffAtMs: number;
  /** The count with the estimate of people who passed unread. */
  readonly admitted: number;
  /** That estimate; absent without one. */
  readonly estimated?: number;
  /** The count once every valid ticket is in: the valid tickets, and those who are in without one. */
  readonly valid: number;
  readonly expected: ExpectedToCome;
  /** The rate from now on at which `expected` people are in by kick-off; 0 if they are in. */
  readonly perMinuteNeeded: number;
  /** The mean of the last five full minutes. */
  readonly perMinuteNow: number | null;
  readonly perMinuteBest: number | null;
  /** The count by kick-off at today's best rate: at most the valid tickets. */
  readonly admittedAtBest: number | null;
  /** When `expected` people are in at today's best rate; null if unknown, or nobody entered. */
  readonly allInAtMs: number | null;
  /** How much later than usual the crowd comes, in minutes; negative if earlier. Null if the range is not shifted. */
  readonly lateness: number | null;
  /** The mean count at this time at earlier matches, scaled to today's valid tickets. */
  readonly usual: number | null;
  /** For the ground: the usual rate over the same five minutes as `perMinuteNow`; absent if unknown. */
  readonly usualPerMinute?: number;
  /** For the ground: the usual count at a kick-off without postponement; absent if unknown. */
  readonly usualAtKickOff?: number;
  readonly range: ForecastRange | NoRange;
}

export interface ExpectedToCome {
  readonly count: number;
  /** The number of earlier matches behind the share that comes; with 0, all valid tickets are expected. */
  readonly matches: number;
}

/** The count by kick-off: `low <= middle <= high`, none below `admitted` or above `valid` and the bound. */
export interface ForecastRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  /** The number of earlier matches behind it. */
  readonly matches: number;
  /** The share of such ranges that hold; null with too few matches, whose errors then limit the range. */
  readonly coverage: number | null;
  /** The count at the best rate of today and of earlier matches, which limits the range. Null if no rate is known. */
  readonly bound: number | null;
}

export interface NoRange {
  /**
   * `few-matches`: fewer than three that cover this time and kick-off; `early`: more than two hours before; `suspended`: the
   * entry of the sector is suspended.
   */
  readonly why: 'few-matches' | 'early' | 'suspended';
}
