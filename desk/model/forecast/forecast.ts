/**
 * Who will be in by kick-off: what a desk is told, plain JSON, exact (rounded for people where it is shown). Counts are
 * people, rates people a minute, instants milliseconds since 1970 by the flow's clock; `null` is what is not known.
 */
export type Forecast =
  | {
      readonly kind: 'none';
      readonly why: NoForecast;
      /** After kick-off: when all but a few of those who come are in; absent where that is not known. */
      readonly coming?: Coming;
    }
  | {
      readonly kind: 'made';
      readonly atMs: number;
      /**
       * Of the whole ground, from its own curve: kick-off as set, then postponed, in the order of POSTPONED_MIN. Where people
       * passed who are not counted, and nobody has estimated how many, of the ground without those sectors; null where they
       * are too large a part of it.
       */
      readonly total: readonly Outlook[] | null;
      /** The codes of the sectors that `total` leaves out; absent where it leaves out none. */
      readonly without?: readonly string[];
      /** By place, for kick-off as set; null where people passed who are not counted, without an estimate of how many. */
      readonly sectors: readonly (Outlook | null)[];
    };

/** Nothing is forecast: without a kick-off or counts of now; after it, and once entry is closed or the ground evacuated. */
export type NoForecast = 'no-kick-off' | 'no-data' | 'over' | 'entry-closed' | 'evacuated';

export interface Coming {
  readonly untilMs: number;
  /** As above. */
  readonly without?: readonly string[];
}

/** What is expected at one kick-off. */
export interface Outlook {
  readonly kickOffAtMs: number;
  /** With those who passed unread, as estimated. */
  readonly admitted: number;
  /** How many of them those are; absent where there are none. */
  readonly estimated?: number;
  readonly valid: number;
  readonly expected: ExpectedToCome;
  /** What lets `expected` in by kick-off, from now on; 0 where they are in. */
  readonly perMinuteNeeded: number;
  /** The mean of the last five full minutes. */
  readonly perMinuteNow: number | null;
  /** The best mean of five minutes today. */
  readonly perMinuteBest: number | null;
  /** Who is in by kick-off at the best of today: at most the valid tickets. */
  readonly admittedAtBest: number | null;
  /** When `expected` are in at the best of today; null where that is not known, or nobody entered. */
  readonly allInAtMs: number | null;
  /** How much later than usual the crowd comes, in minutes; less than zero: earlier. Null where the range is not shifted. */
  readonly lateness: number | null;
  /** How many were in at this time at earlier matches, on average, had they had so many valid tickets. */
  readonly usual: number | null;
  /** Of the ground: how many entered a minute then, over the same five minutes as `perMinuteNow`; absent where not known. */
  readonly usualPerMinute?: number;
  /** Of the ground: how many of so many were in at a kick-off that was not put off; absent where not known. */
  readonly usualAtKickOff?: number;
  readonly range: ForecastRange | NoRange;
}

export interface ExpectedToCome {
  readonly count: number;
  /** How many earlier matches say which share of the valid tickets comes; 0: all are expected, as nobody knows. */
  readonly matches: number;
}

/** How many are in by kick-off. `low <= middle <= high`, none below `admitted` or above `valid` and the bound. */
export interface ForecastRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  /** How many earlier matches it is made of. */
  readonly matches: number;
  /** Which share of such ranges hold; null: too few matches to say, it is as in the last `matches`. */
  readonly coverage: number | null;
  /** What the best rate of today and of earlier matches lets in: it is cut there. Null where no rate is known. */
  readonly bound: number | null;
}

export interface NoRange {
  /**
   * `few-matches`: fewer than three that tell of this time and kick-off; `early`: more than two hours before;
   * `suspended`: the entry is, and was not then.
   */
  readonly why: 'few-matches' | 'early' | 'suspended';
}
