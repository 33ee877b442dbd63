import { SOURCE_CHECK_MS } from '../../../domain/freshness.ts';
import type { TestDatabase } from '../../../testing/database/database.ts';
import { duration } from '../../../testing/durations.ts';
import type { Commit } from '../../../testing/database/oracle.ts';
import type { FlowSpeed } from '../../../testing/desk/recorded-flow.ts';
import type { ScreenHerd } from '../../../testing/browser/screen-herd.ts';
import type { DisplayedState } from '../../../testing/browser/screen.ts';
import type { TicketHistory } from '../../../testing/sources/ticket-history.ts';
import type { Operators } from '../../flow/operators.ts';
import type { LossOf, TopologyName } from './table.ts';
import type { WatchedDesk } from './watched-desk.ts';
import type { WatchedScreen } from './watched-screen.ts';

/** A minute of the flow is half a second. */
export const MATCH_SPEED = 120;
/** A server confirms minutes whenever it has read the database's clock. */
export const MATCH_ENV = { CHECK_EVERY_MS: String(duration(SOURCE_CHECK_MS, 500)) };

/** What the losses of one topology are inflicted on, with all that watches it. */
export interface Topology<Name extends TopologyName> {
  /** The one that leads now. */
  readonly database: TestDatabase;
  readonly history: TicketHistory;
  readonly clock: FlowSpeed;
  /** Those that are open now. */
  readonly screens: readonly WatchedScreen[];
  /** Desks that stay open. */
  readonly desks?: readonly WatchedDesk[];
  /**
   * Ends what is still lost. Where it is there, what is lost stays so once all screens are live, which they must be all the
   * while; each loss is held against the truth by itself, and what it took is kept.
   */
  readonly heal?: () => Promise<unknown>;
  /** Those that a loss has closed, too. */
  readonly allScreens: readonly WatchedScreen[];
  readonly pages: readonly WatchedPage[];
  /** Hundreds more; then nothing else runs on the machine, and limits are those of the clock on the wall. */
  readonly herd?: ScreenHerd | undefined;
  readonly operators: Operators;
  readonly losses: Readonly<Record<LossOf<Name>, Inflict>>;
  /** Of the processes that serve screens, for the stopwatch. */
  pids(): readonly number[];
  /** Waits until every process that watches the flow is live. Returns where each tells of its metrics. */
  untilReady(): Promise<readonly string[]>;
  /** Ends what observes the database, in order. */
  stop(): Promise<unknown>;
}

/** A page in Chromium. */
export interface WatchedPage {
  readonly isDesk: boolean;
  status(): Promise<string>;
  /** Returns what has been displayed so far, or only the `last` states of it. */
  displayed(last?: number): Promise<readonly DisplayedState[]>;
}

/**
 * Inflicts a loss. Resolves at the moment from which the limit counts, with what brings back what is still lost, if
 * anything is.
 */
export type Inflict = (watch: Watch) => Promise<(() => Promise<unknown>) | void>;

/** What a loss says of itself while it is inflicted. */
export interface Watch {
  /** The loss begins now, and affects these screens. Default: when it is inflicted, all. */
  readonly begins: (affected?: readonly WatchedScreen[]) => void;
  /** The limit counts from now on. Default: from the beginning of the loss. */
  readonly counts: () => void;
  /** Waits until no screen that is affected, and no page, is live: for 15 s at most. */
  readonly untilStale: () => Promise<void>;
  /** Gates stand still from now on, and go on with the next loss. */
  readonly stopGates: () => Promise<void>;
  /**
   * A former primary, which nobody writes to any more, was the truth to those who could know of no later one: until
   * `knownAtMs`, by `performance.now()`. 3 s after that, nobody may display it as live.
   */
  readonly abandons: (former: TestDatabase, timeline: string, knownAtMs: number) => Promise<void>;
  /** What was written beside the gates, or is lost for good: the oracle knows of it. */
  readonly wrote: (commits: readonly Commit[]) => void;
}
