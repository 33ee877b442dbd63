import { expect } from 'vitest';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { type FlowClock, speedUp } from '../../../desk/flow/flow-clock.ts';
import { type Commit, recount } from '../../../testing/database/oracle.ts';
import { startStopwatch, type Stopwatch } from '../../../testing/stopwatch.ts';
import { expectNothingHeld } from '../../../testing/server/test-board.ts';
import { unixNow, until, untilGiven } from '../../../testing/until.ts';
import {
  type Away,
  expectRecounted,
  UNWATCHED_BEFORE_MS,
  untilRecorded,
} from '../../flow/expect-recounted.ts';
import { expectKept } from '../../flow/operators.ts';
import { type Gates, startGates } from './gates.ts';
import type { Row, TopologyName } from './table.ts';
import type { Inflict, Topology, Watch } from './topology.ts';
import { readFormer, Truth } from './truth.ts';
import {
  expectInOrder,
  longestStaleMs,
  positionNow,
  staleMsSince,
  type WatchedScreen,
} from './watched-screen.ts';
import { expectExact, untilDesksLiveSince, untilLiveSince, untilWatching } from './watching.ts';

/** Whatever is lost, and whoever is told nothing of it. */
const STALE_WITHIN_MS = 15_000;
/** The limit of desks, and of whoever can know that a primary is a former one. */
const DESKS_WITHIN_MS = 5_000;
const LEFT_WITHIN_MS = 3_000;

/**
 * What a loss took, in milliseconds: until all were live, less what was waited for a processor; and the longest time without
 * live numbers, by the clock, with all that was waited meanwhile.
 */
export interface Survived {
  readonly liveMs: number;
  readonly screensMs: number;
  readonly desksMs: number;
  readonly waitedMs: number;
}

/** One loss while it lasts. */
interface Moment {
  atMs: number;
  atUnixMs: number;
  affected: readonly WatchedScreen[];
  epochs: ReadonlyMap<WatchedScreen, string | undefined>;
  /** From the beginning of the loss. */
  whole: Stopwatch;
  /** From where the limit counts. */
  limit: Stopwatch;
  limitAtMs: number;
  /** From when on there was a way to live numbers, where the limit counts once more. */
  wayFromMs: number;
}

/** A topology under its losses, with what the oracles know so far. */
export class Match {
  readonly #topology: Topology<TopologyName>;
  readonly #flowClock: FlowClock;
  readonly #truth = new Truth();
  readonly #away: Away[] = [];
  #watchedFromMs = Number.POSITIVE_INFINITY;
  #gates: Gates | undefined;
  /** Commits up to then are known to the oracle. Unix time. */
  #knownUntilMs = -1;
  #mayMove = false;
  #isLost = false;
  #finished: Promise<void> | undefined;

  constructor(topology: Topology<TopologyName>) {
    this.#topology = topology;
    this.#flowClock = speedUp(topology.clock.sinceMs, topology.clock.speed);
  }

  /** Inflicts one loss of the table, and compares what was seen with what the row promises. */
  async lose(row: Row): Promise<Survived> {
    this.#expectNotLost();
    const topology = this.#topology;
    this.#isLost = true;
    this.#gates = startGates(() => topology.database, row[6]);
    try {
      const survived = await this.#survive(row);
      this.#isLost = false;
      return survived;
    } finally {
      await topology.heal?.();
      await this.#gates.stop();
      if (topology.heal) this.#isLost = false;
    }
  }

  async #survive([loss, screens, liveWithinMs, epoch, minutes]: Row): Promise<Survived> {
    const topology = this.#topology;
    if (this.#watchedFromMs === Number.POSITIVE_INFINITY) {
      await untilWatching(topology, this.#flowClock);
      this.#watchedFromMs = this.#flowClock(Date.now());
    }
    const inflict = (topology.losses as Readonly<Record<string, Inflict | undefined>>)[loss];
    if (!inflict) throw new Error(`the topology does not know how "${loss}"`);
    const moment = this.#begin();
    let restore: Awaited<ReturnType<Inflict>> = undefined;
    let liveMs: number;
    try {
      restore = await inflict(this.#watch(moment));
      await untilLiveSince(
        topology,
        moment.atMs,
        await untilGiven(() => positionNow(topology.database.admin)),
      );
      if (minutes === 'gap') this.#noteGap(moment);
      const elapsedMs = async (): Promise<number> =>
        topology.herd ? performance.now() - moment.limitAtMs : moment.limit.elapsedMs();
      liveMs = await elapsedMs();
      await untilDesksLiveSince(topology, moment.atMs);
      const desksMs = await elapsedMs();
      if (topology.herd)
        console.info(`${loss}: screens live after ${Math.round(liveMs)} ms, desks ${Math.round(desksMs)}`);
      expect(liveMs).toBeLessThan(liveWithinMs);
      expect(desksMs).toBeLessThan(Math.max(DESKS_WITHIN_MS, liveWithinMs));
    } finally {
      await restore?.();
    }
    await untilWatching(topology, this.#flowClock);
    const waitedMs = await this.#expectNoticed(moment, screens);
    const sinceMs = Math.min(moment.wayFromMs, moment.limitAtMs);
    const longest = {
      screensMs: longestStaleMs(topology.screens, sinceMs),
      desksMs: longestStaleMs(topology.desks ?? [], sinceMs),
    };
    if (topology.heal) {
      // As if what was waited for a processor were spread evenly.
      const had = Math.max(0, 1 - waitedMs / (performance.now() - moment.atMs));
      expect(longest.screensMs * had).toBeLessThan(liveWithinMs);
      expect(longest.desksMs * had).toBeLessThan(Math.max(DESKS_WITHIN_MS, liveWithinMs));
    }
    expectEpochs(moment, epoch);
    await this.#gates?.stop();
    await expectExact(topology);
    if (topology.heal) await this.#expectRightSince(moment);
    // A standby may lack the last entries, and gets them again, perhaps behind others.
    this.#mayMove ||= loss.endsWith('promoted') || this.#truth.formers.length > 0;
    await until(() => this.#expectKept());
    return { liveMs, waitedMs, ...longest };
  }

  /** Nothing wrong was displayed as live, and no screen has gone back. */
  async expectDisplayedRight(): Promise<void> {
    await this.#finish();
    const { allScreens, pages, herd } = this.#topology;
    for (const screen of allScreens) {
      expect(this.#truth.wrong(screen.displayed)).toEqual([]);
      expectInOrder(screen);
    }
    for (const page of pages) expect(this.#truth.wrong(await page.displayed())).toEqual([]);
    expect(((await herd?.displayed()) ?? []).flatMap((each) => this.#truth.wrong(each))).toEqual([]);
    expect((await herd?.violations()) ?? []).toEqual([]);
  }

  /** The recorded minutes are those that SQL recounts. */
  async expectMinutes(): Promise<void> {
    await this.#finish();
    const { database, history, clock } = this.#topology;
    const elsewhere = this.#truth.formers.flatMap(({ minutes }) => minutes);
    // Before that, servers were starting: minutes may stand in the record, and be interrupted.
    const away = [{ fromMs: -Infinity, toMs: this.#watchedFromMs }, ...this.#away];
    const asked = [database.admin, history, away, clock, this.#watchedFromMs, elsewhere] as const;
    const { compared, missing } = await expectRecounted(...asked);
    expect(compared).toBeGreaterThan(20);
    if (this.#away.length === 0) expect(missing).toBe(0);
  }

  /** Every command that was answered with success is in the log, once, and the log's chain is whole. */
  async expectCommands(): Promise<void> {
    await this.#finish();
    await this.#expectKept();
  }

  /** Stopped while gates write, what serves leaves nothing in the database. */
  async expectEnd(): Promise<void> {
    this.#expectNotLost();
    this.#gates = startGates(() => this.#topology.database, 200);
    await this.#topology.stop();
    await this.#gates.stop();
    await expectNothingHeld(this.#topology.database);
  }

  /** Operators say nothing more, all minutes so far are recorded, and the oracle knows of all that was written. */
  #finish(): Promise<void> {
    return (this.#finished ??= (async () => {
      const { operators, database } = this.#topology;
      // Fewer would prove little; a slow machine takes its time for them.
      await until(() => expect(operators.answered.size).toBeGreaterThan(20), 60_000);
      await operators.stop();
      this.#expectNotLost();
      await untilRecorded(database.admin, this.#flowClock(Date.now()));
      await this.#addCommits();
      expect(this.#truth.oracle.total).toBe((await recount(database.admin)).total);
    })());
  }

  #expectNotLost(): void {
    if (this.#isLost) throw new Error('not begun: a loss before it was not survived');
  }

  #begin(affected = this.#topology.screens): Moment {
    const { screens } = this.#topology;
    return {
      atMs: performance.now(),
      atUnixMs: unixNow(),
      affected,
      epochs: new Map(screens.map((screen) => [screen, screen.epoch])),
      whole: this.#startStopwatch(),
      limit: this.#startStopwatch(),
      limitAtMs: performance.now(),
      wayFromMs: Infinity,
    };
  }

  #startStopwatch(): Stopwatch {
    const topology = this.#topology;
    return startStopwatch({ pids: () => topology.pids(), observersIn: topology.database });
  }

  #watch(moment: Moment): Watch {
    return {
      begins: (affected) => {
        end(moment.whole);
        end(moment.limit);
        Object.assign(moment, this.#begin(affected));
      },
      counts: () => {
        end(moment.limit);
        const limitAtMs = performance.now();
        const wayFromMs = Math.min(moment.wayFromMs, limitAtMs);
        Object.assign(moment, { limit: this.#startStopwatch(), limitAtMs, wayFromMs });
      },
      untilStale: () =>
        until(async () => {
          expect(moment.affected.filter(({ live }) => live)).toEqual([]);
          for (const page of this.#topology.pages) expect(await page.status()).not.toBe('ao vivo');
          await this.#topology.herd?.expectNoneLive();
        }, STALE_WITHIN_MS),
      stopGates: async () => {
        await this.#gates?.stop();
        await this.#addCommits();
      },
      abandons: async (former, timeline, knownAtMs) => {
        const { atMs, atUnixMs, whole } = moment;
        const waitedMs = performance.now() - atMs - (await whole.elapsedMs());
        this.#truth.formers.push(
          await readFormer(former, this.#topology.clock, {
            timeline,
            leftByMs: knownAtMs + LEFT_WITHIN_MS + waitedMs,
            fromMs: this.#flowClock(atUnixMs - UNWATCHED_BEFORE_MS),
            toMs: this.#flowClock(unixNow()),
          }),
        );
      },
      wrote: (commits) => {
        this.#truth.add(commits);
        this.#knownUntilMs = unixNow();
      },
    };
  }

  /** Whoever waits for a processor for a second hears nothing for a second, and is stale for no longer than that. */
  async #expectNoticed({ atMs, affected, epochs, whole }: Moment, screens: Row[1]): Promise<number> {
    const waitedMs = performance.now() - atMs - (await whole.elapsedMs());
    const open = this.#topology.screens;
    const staying = screens === 'stay live' ? open : open.filter((screen) => !affected.includes(screen));
    for (const screen of staying) {
      expect(staleMsSince(screen, atMs)).toBeLessThanOrEqual(waitedMs);
      expect(screen.epoch).toBe(epochs.get(screen));
    }
    const stale = affected.filter((screen) => staleMsSince(screen, atMs) > 0);
    if (screens === 'all lose it') expect(stale).toHaveLength(affected.length);
    if (screens === 'some lose it') expect(stale).not.toEqual([]);
    return waitedMs;
  }

  /** Nothing wrong was displayed as live since the loss began. */
  async #expectRightSince({ atMs }: Moment): Promise<void> {
    await this.#addCommits();
    for (const { displayed } of this.#topology.allScreens) {
      const first = displayed.findLastIndex((one) => one.atMs <= atMs);
      expect(this.#truth.wrong(displayed.slice(Math.max(0, first)))).toEqual([]);
    }
  }

  #noteGap({ atUnixMs }: Moment): void {
    this.#away.push({
      fromMs: this.#flowClock(atUnixMs - UNWATCHED_BEFORE_MS),
      // A process that came back last may record the first minute that another one has watched whole.
      toMs: this.#flowClock(unixNow()) + MINUTE_MS,
    });
  }

  #expectKept(): Promise<void> {
    return expectKept(this.#topology.database, this.#topology.operators, { mayMove: this.#mayMove });
  }

  async #addCommits(): Promise<void> {
    const commits: Commit[] = await this.#topology.history.commits();
    this.#truth.add(commits.filter(({ committedAtMs }) => committedAtMs > this.#knownUntilMs));
    this.#knownUntilMs = unixNow();
  }
}

/** A stopwatch samples until it is asked. */
function end(stopwatch: Stopwatch): void {
  void stopwatch.elapsedMs();
}

function expectEpochs({ affected, epochs }: Moment, epoch: Row[3]): void {
  for (const screen of affected) {
    if (epoch === 'same') expect(screen.epoch).toBe(epochs.get(screen));
    if (epoch === 'new') expect(screen.epoch).not.toBe(epochs.get(screen));
  }
}
