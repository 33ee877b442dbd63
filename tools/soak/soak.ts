import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { EmbeddedDatabase } from '../../server/database/embedded/embedded-database.ts';
import { type Crowd, openCrowd } from './crowd.ts';
import { chooseFaults, type Fault, FAULTS } from './faults.ts';
import { fillStadium, type Match, startMatch } from './match.ts';
import { recount } from './recount.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { slopePerHour } from './slope.ts';
import { TotalHistory } from './total-history.ts';

interface Parts {
  readonly database: EmbeddedDatabase;
  readonly server: ServerProcess;
  readonly crowd: Crowd;
  readonly match: Match;
  readonly gates: postgres.Sql;
  readonly admin: postgres.Sql;
}

export interface SoakOptions {
  readonly database: EmbeddedDatabase;
  readonly viewers: number;
  readonly durationMs: number;
  /** Of the server. */
  readonly env: Readonly<Record<string, string>> & { readonly PORT: string };
}

/** Between two faults, in milliseconds. */
const QUIET = { shortest: 3_000, longest: 12_000 };
/** Screens that are not live and right after so long, with nothing being written, are wrong. */
const SETTLE_LIMIT_MS = 30_000;
/** All screens have been live for so long: none is still about to notice the fault. */
const CALM_MS = 1_000;
const REPORT_EVERY_MS = 10_000;

/** A match under faults. */
export class Soak {
  readonly #parts: Parts;
  readonly #viewers: number;
  readonly #durationMs: number;
  readonly #startedAtMs = performance.now();
  readonly #injected = new Map<Fault, { count: number; longestMs: number }>();
  #comparisons = 0;
  #wrong = 0;
  #failure: string | undefined;
  /** Since when all screens have been live. */
  #liveAtMs = 0;

  private constructor(parts: Parts, { viewers, durationMs }: SoakOptions) {
    this.#parts = parts;
    this.#viewers = viewers;
    this.#durationMs = durationMs;
  }

  static async start(options: SoakOptions): Promise<Soak> {
    const { database, env, viewers, durationMs } = options;
    const connection = { onnotice: () => {}, fetch_types: false, backoff: () => 0.2 } as const;
    const gates = postgres(database.gatesUrl, { max: 4, ...connection });
    const admin = postgres(database.adminUrl, { max: 1, ...connection });
    await fillStadium(gates);
    const history = new TotalHistory();
    const server = startServerProcess(env);
    const url = `http://127.0.0.1:${env.PORT}`;
    while (!(await isServed(url))) await sleep(100);
    const crowd = await openCrowd(url, viewers, history);
    const match = startMatch(gates, durationMs, history);
    return new Soak({ database, server, crowd, match, gates, admin }, options);
  }

  /** Wrong counts, by comparison or by what was shown as live: there must be none. */
  get isRight(): boolean {
    return this.#wrongCounts === 0 && this.#failure === undefined && this.#comparisons > 0;
  }

  get #wrongCounts(): number {
    return this.#wrong + this.#parts.crowd.lies.length;
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  async run(stopped: AbortSignal, report: (line: string) => void): Promise<void> {
    // A write that waits for its database must not keep us.
    stopped.addEventListener('abort', () => void this.#parts.match.stop());
    const reporting = setInterval(() => report(this.#progress()), REPORT_EVERY_MS);
    void this.#parts.server.failed.then((why) => {
      this.#failure = `the server ended by itself: ${why}`;
      report(this.#failure);
    });
    try {
      await this.#settle(stopped);
      for (const fault of chooseFaults(Math.random)) {
        await sleep(between(QUIET), undefined, { signal: stopped });
        if (this.#elapsedMs > this.#durationMs || this.#failure !== undefined) break;
        report(`fault: ${fault.name}`);
        await fault.inject({ ...this.#parts, dataDir: this.#parts.database.dataDir });
        const goneAtMs = performance.now();
        await this.#settle(stopped);
        const { count, longestMs } = this.#injected.get(fault) ?? { count: 0, longestMs: 0 };
        const tookMs = Math.max(longestMs, this.#liveAtMs - goneAtMs);
        this.#injected.set(fault, { count: count + 1, longestMs: tookMs });
      }
    } catch (error) {
      if (!stopped.aborted) throw error;
    } finally {
      clearInterval(reporting);
    }
  }

  /** Waits until all screens are live, lets the writers rest, and compares every screen with a recount. */
  async #settle(stopped: AbortSignal): Promise<void> {
    const { crowd, match, admin, server } = this.#parts;
    this.#liveAtMs = performance.now();
    const untilMs = this.#liveAtMs + SETTLE_LIMIT_MS;
    while (performance.now() < Math.min(untilMs, this.#liveAtMs + CALM_MS)) {
      await sleep(20, undefined, { signal: stopped });
      if (crowd.live < crowd.size) this.#liveAtMs = performance.now();
    }
    await match.pause();
    let wrong = crowd.size;
    while (wrong > 0 && performance.now() < untilMs + SETTLE_LIMIT_MS) {
      wrong = crowd.wrong(await recount(admin, DEFAULT_EVENT_ID));
      if (wrong > 0) await sleep(20, undefined, { signal: stopped });
    }
    this.#wrong += wrong;
    this.#comparisons += crowd.size;
    server.sample();
    match.resume();
  }

  async stop(): Promise<void> {
    const { crowd, match, server, gates, admin } = this.#parts;
    crowd.close();
    await match.stop();
    await server.stop();
    await Promise.all([gates.end({ timeout: 1 }), admin.end({ timeout: 1 })]);
  }

  #progress(): string {
    const { crowd, match } = this.#parts;
    const faults = [...this.#injected.values()].reduce((sum, { count }) => sum + count, 0);
    return [
      `${(this.#elapsedMs / 60_000).toFixed(1)} min`,
      `${match.entered} in`,
      `${crowd.live} of ${crowd.size} live`,
      `${crowd.framesReceived} frames`,
      `${faults} faults`,
      `wrong counts: ${this.#wrongCounts}`,
    ].join(' · ');
  }

  table(): string {
    const { crowd, match, server } = this.#parts;
    const { samples } = server;
    const memory = samples.map(({ memoryMb }) => memoryMb);
    const faults = FAULTS.map((fault) => {
      const { count, longestMs } = this.#injected.get(fault) ?? { count: 0, longestMs: 0 };
      const took = count > 0 ? ` (all live again after at most ${(longestMs / 1_000).toFixed(1)} s)` : '';
      return [`fault: ${fault.name}`, `${count}${took}`];
    });
    const total = [...this.#injected.values()].reduce((sum, { count }) => sum + count, 0);
    const rows = [
      ['duration', `${(this.#elapsedMs / 60_000).toFixed(1)} min`],
      ['viewers', String(this.#viewers)],
      ['tickets in at the end', String(match.entered)],
      ['faults injected', total > 0 ? String(total) : '0: too short to prove anything'],
      ...faults,
      ['frames sent, as the screens counted them', String(crowd.framesReceived)],
      ['screens compared with a recount', String(this.#comparisons)],
      ['**wrong counts**', `**${this.#wrongCounts}**`],
      ['server memory, largest', memory.length > 0 ? `${Math.max(...memory).toFixed(0)} MB` : 'not measured'],
      [
        'server memory, slope',
        perHour(
          slopePerHour(samples, ({ memoryMb }) => memoryMb),
          'MB',
        ),
      ],
      [
        'server file descriptors, slope',
        perHour(
          slopePerHour(samples, ({ files }) => files),
          '',
        ),
      ],
    ];
    const lines = ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
    const failure = this.#failure === undefined ? [] : [this.#failure];
    return [...lines, '', `wrong counts: ${this.#wrongCounts}`, ...crowd.lies.slice(0, 20), ...failure].join(
      '\n',
    );
  }
}

function isServed(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function between({ shortest, longest }: typeof QUIET): number {
  return shortest + Math.random() * (longest - shortest);
}

function perHour(slope: number | undefined, unit: string): string {
  return slope === undefined ? 'not measured' : `${slope.toFixed(1)} ${unit} per hour`.replace('  ', ' ');
}
