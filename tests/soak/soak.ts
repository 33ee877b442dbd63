import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { recount, TotalHistory } from '../../testing/database/oracle.ts';
import { chooseFaults, databaseFaults, type Fault, viewerFaults } from './faults.ts';
import { fillStadium, type Match, startMatch } from './match.ts';
import { type ProcessSamples, sampleProcesses } from './process-samples.ts';
import { openScreens, type Screens } from './screens.ts';
import type { StartSystem, System } from './system.ts';

interface Parts {
  readonly system: System;
  readonly faults: readonly Fault[];
  readonly samples: readonly ProcessSamples[];
  readonly screens: Screens;
  readonly match: Match;
  readonly gates: postgres.Sql;
  readonly admin: postgres.Sql;
}

export interface SoakOptions {
  readonly database: EmbeddedDatabase;
  readonly startSystem: StartSystem;
  readonly viewers: number;
  readonly durationMs: number;
}

/** Between two faults, in milliseconds. */
const QUIET = { shortest: 3_000, longest: 12_000 };
/** Screens that are not live and right after this long, with nothing being written, are wrong. */
const SETTLE_LIMIT_MS = 30_000;
/** All screens have been live for this long: none is still about to notice the fault. */
const CALM_MS = 1_000;
const REPORT_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** What serves is killed in the first part of the time, as a share of it. */
const KILLS_UNTIL = 1 / 4;
/** What is measured of its memory and files is of the time after this share: code is compiled, caches are full. */
const SETTLED_FROM = 1 / 3;

/** Until all screens were live again, at most; 0: they never were anything else. */
interface Recoveries {
  readonly count: number;
  readonly longestFromBeginMs: number;
  readonly longestFromEndMs: number;
}

/** A match under faults. All of it ends with the kit. */
export class Soak {
  readonly #parts: Parts;
  readonly #options: SoakOptions;
  readonly #startedAtMs = performance.now();
  readonly #injected = new Map<Fault, Recoveries>();
  #comparisons = 0;
  #wrong = 0;
  #failure: string | undefined;
  /** Since when all screens have been live. */
  #liveAtMs = 0;

  private constructor(parts: Parts, options: SoakOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  static async start(options: SoakOptions): Promise<Soak> {
    const { database, startSystem, viewers, durationMs } = options;
    const connection = { onnotice: () => {}, fetch_types: false, backoff: () => 0.2 } as const;
    const gates = postgres(database.gatesUrl, { max: 4, ...connection });
    const admin = postgres(database.adminUrl, { max: 1, ...connection });
    closeOnce(() => Promise.all([gates.end({ timeout: 1 }), admin.end({ timeout: 1 })]));
    await fillStadium(gates);
    const history = new TotalHistory({ keepMs: 30_000 });
    const limits = { MAX_VIEWERS_PER_ADDRESS: String(2 * viewers) };
    const system = await startSystem(database, limits);
    const screens = await openScreens(system, viewers, history);
    const match = startMatch(gates, durationMs, history);
    closeOnce(() => match.stop());
    const faults = [
      ...system.faults,
      ...databaseFaults({ admin, dataDir: database.dataDir }),
      ...viewerFaults(screens.networks),
    ];
    const samples = system.processes.map(sampleProcesses);
    return new Soak({ system, faults, samples, screens, match, gates, admin }, options);
  }

  /** Wrong counts, by comparison or by what was shown as live: there must be none. */
  get isRight(): boolean {
    return this.#wrongCounts === 0 && this.#failure === undefined && this.#comparisons > 0;
  }

  get #wrongCounts(): number {
    return this.#wrong + this.#parts.screens.violations.length;
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  async run(stopped: AbortSignal, report: (line: string) => void): Promise<void> {
    // A write that waits for its database must not keep us.
    stopped.addEventListener('abort', () => void this.#parts.match.stop());
    const { faults, screens, system } = this.#parts;
    const reporting = setInterval(() => report(this.#progress()), REPORT_EVERY_MS);
    const looking = setInterval(() => {
      if (screens.live < screens.count) this.#liveAtMs = performance.now();
    }, LOOK_EVERY_MS);
    void system.failed.then((why) => {
      // Ctrl-C in a terminal reaches them, too.
      if (stopped.aborted) return;
      this.#failure = why;
      report(why);
    });
    try {
      await this.#settle(stopped);
      const mayEnd = (): boolean => this.#elapsedMs < KILLS_UNTIL * this.#options.durationMs;
      for (const fault of chooseFaults(faults, Math.random, mayEnd)) {
        await sleep(between(QUIET), undefined, { signal: stopped });
        if (this.#elapsedMs > this.#options.durationMs || this.#failure !== undefined) break;
        report(`fault: ${fault.name}`);
        const begunAtMs = performance.now();
        await fault.inject(stopped);
        const goneAtMs = performance.now();
        await this.#settle(stopped);
        const before = this.#injected.get(fault);
        this.#injected.set(fault, {
          count: (before?.count ?? 0) + 1,
          longestFromBeginMs: Math.max(before?.longestFromBeginMs ?? 0, this.#liveAtMs - begunAtMs),
          longestFromEndMs: Math.max(before?.longestFromEndMs ?? 0, this.#liveAtMs - goneAtMs),
        });
      }
    } catch (error) {
      if (!stopped.aborted) throw error;
    } finally {
      clearInterval(reporting);
      clearInterval(looking);
    }
  }

  /** Waits until all screens are live, lets the writers rest, and compares every screen with a recount. */
  async #settle(stopped: AbortSignal): Promise<void> {
    const { screens, match, admin, samples } = this.#parts;
    const fromMs = performance.now();
    const untilMs = fromMs + SETTLE_LIMIT_MS;
    while (performance.now() < Math.min(untilMs, Math.max(fromMs, this.#liveAtMs) + CALM_MS)) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopped });
    }
    await match.pause();
    let wrong = screens.count;
    while (wrong > 0 && performance.now() < untilMs + SETTLE_LIMIT_MS) {
      wrong = screens.countWrong(await recount(admin));
      if (wrong > 0) await sleep(LOOK_EVERY_MS, undefined, { signal: stopped });
    }
    this.#wrong += wrong;
    this.#comparisons += screens.count;
    const isSettled = this.#elapsedMs > SETTLED_FROM * this.#options.durationMs;
    for (const process of samples) process.sample(isSettled);
    match.resume();
  }

  #progress(): string {
    const { screens, match } = this.#parts;
    const faults = [...this.#injected.values()].reduce((sum, { count }) => sum + count, 0);
    return [
      `${(this.#elapsedMs / 60_000).toFixed(1)} min`,
      `${match.entered} in`,
      `${screens.live} of ${screens.count} live`,
      `${screens.framesReceived} frames`,
      `${faults} faults`,
      `wrong counts: ${this.#wrongCounts}`,
    ].join(' · ');
  }

  table(): string {
    const { screens, match, samples } = this.#parts;
    const faults = this.#parts.faults.map((fault) => {
      const recoveries = this.#injected.get(fault);
      if (!recoveries) return [`fault: ${fault.name}`, '0'];
      const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
      const { count, longestFromBeginMs, longestFromEndMs } = recoveries;
      const took = `${seconds(longestFromBeginMs)} from its beginning, ${seconds(longestFromEndMs)} from its end`;
      return [`fault: ${fault.name}`, `${count} (all live again at most ${took})`];
    });
    const total = [...this.#injected.values()].reduce((sum, { count }) => sum + count, 0);
    const rows = [
      ['duration', `${(this.#elapsedMs / 60_000).toFixed(1)} min`],
      ['viewers', String(this.#options.viewers)],
      ['tickets in at the end', String(match.entered)],
      ['faults injected', total > 0 ? String(total) : '0: too short to prove anything'],
      ...faults,
      ['frames sent, as the screens counted them', String(screens.framesReceived)],
      ['screens compared with a recount', String(this.#comparisons)],
      ['shown as live, and not committed', String(screens.violations.length)],
      ['not live with the counts in time', String(this.#wrong)],
      ['**wrong counts**', `**${this.#wrongCounts}**`],
      ...samples.flatMap((process) => {
        const { name, largestMemoryMb: largest } = process;
        return [
          [`${name} memory, largest`, largest === undefined ? 'not measured' : `${largest.toFixed(0)} MB`],
          [
            `${name} memory, each 5 min`,
            process.everyFiveMinutes('memoryMb').map(Math.round).join(' ') + ' MB',
          ],
          [`${name} file descriptors, each 5 min`, process.everyFiveMinutes('openFiles').join(' ')],
          [`${name} memory, slope`, perHour(process.growthPerHour('memoryMb'), 'MB')],
          [`${name} file descriptors, slope`, perHour(process.growthPerHour('openFiles'), '')],
        ];
      }),
    ];
    const lines = ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
    const failure = this.#failure === undefined ? [] : [this.#failure];
    return [
      ...lines,
      '',
      `wrong counts: ${this.#wrongCounts}`,
      ...screens.violations.slice(0, 20),
      ...failure,
    ].join('\n');
  }
}

function between({ shortest, longest }: typeof QUIET): number {
  return shortest + Math.random() * (longest - shortest);
}

function perHour(slope: number | undefined, unit: string): string {
  return slope === undefined ? 'not measured' : `${slope.toFixed(1)} ${unit} per hour`.replace('  ', ' ');
}
