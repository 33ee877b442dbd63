import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { findGaps } from '../../desk/model/series/gaps.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { FAULT_LIMITS, LIVE_WITHIN_MS } from '../../testing/durations.ts';
import type { DisplayedState } from '../../testing/browser/screen.ts';
import { startTestBoard } from '../../testing/server/test-board.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { keepTicketHistory } from '../../testing/sources/ticket-history.ts';
import { until } from '../../testing/until.ts';
import { readRecordedMinutes, type RecordedMinute } from '../flow/expect-recounted.ts';

/** A minute of the flow is a second. */
const SPEED = 60;
const HOUR_S = 3_600;
/** How far the database's clock is from where it began; the last run goes through minutes of the one before, and beyond. */
const RUNS = [0, HOUR_S, 0, -HOUR_S, 0, -7];
/** The run that went back to before watching began: nothing of it is recorded. */
const BEFORE_ALL = 3;
/** How many minutes of each run are to be recorded: of the last but one more than the last one goes back by. */
const MINUTES = [3, 3, 3, 3, 9, 3];
/** Ahead of this machine's at all times: libfaketime tells signal handlers the machine's time, and timers would end early. */
const BEGIN_S = 2 * HOUR_S;

/** After a setting was noted: the next reading of the clock, or a stream that begins anew. */
const WATCHED_WITHIN_MS = FAULT_LIMITS.checkEveryMs + LIVE_WITHIN_MS;

/** What the clock of the flow was in a run of the database's clock. */
interface Run {
  /** When it was set, and once that had been noted in the log. */
  readonly fromMs: number;
  readonly notedMs: number;
  /** The last minute that was seen to be recorded. */
  readonly recordedMs: number;
  /** When it was set again. */
  readonly toMs: number;
  /** How far it would have come until that was noted. */
  readonly unseenToMs: number;
}

test(
  'the clock of the database is set by an hour, ahead and back, while gates write: no minute twice, none wrong, none lost',
  { timeout: 300_000 },
  async () => {
    const cluster = await startTestCluster({ hasOwnClock: true });
    const { database } = cluster;
    const { admin } = database;
    cluster.setClock(BEGIN_S);
    const history = await keepTicketHistory(database);
    const nowMs = Date.now() + BEGIN_S * 1_000;
    const clock = { sinceMs: nowMs - (nowMs % MINUTE_MS), speed: SPEED };
    const flowClock = speedUp(clock.sinceMs, SPEED);
    const board = await startTestBoard({
      database,
      tickets: 20_000,
      startServer: () =>
        startTestServer(
          database,
          { DESK_KEY, RECORD_DATABASE_URL: database.recordUrl },
          { flowClock, limits: FAULT_LIMITS },
        ),
    });
    const readClock = async (): Promise<number> => {
      const [{ ms }] = await admin<[{ ms: number }]>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
      return flowClock(ms);
    };
    /** Just before a minute ends, so that its commits are told by the clock before and by the one after. */
    const untilMinuteEnds = async (): Promise<void> => {
      const leftMs = MINUTE_MS - ((await readClock()) % MINUTE_MS);
      await pause(Math.max(0, leftMs / SPEED - 150));
    };

    const untilNoted = (times: number): Promise<void> =>
      until(async () => {
        const noted = await admin`select from triagem.log where kind = 'clock'`;
        expect(noted).toHaveLength(times);
      }, 60_000);
    const lastMinute = async (fromMs: number): Promise<number> => {
      const [{ ms }] = await admin<[{ ms: number | null }]>`
        select extract(epoch from max(minute))::float8 * 1000 as ms from triagem.minutes
        where minute < to_timestamp(${(await readClock()) / 1_000}::float8)`;
      return ms ?? fromMs;
    };

    const runs: Run[] = [];
    board.startWriting();
    for (const [place, aheadS] of RUNS.entries()) {
      cluster.setClock(BEGIN_S + aheadS);
      const setAtMs = performance.now();
      // The first run began before the server did.
      const fromMs = place === 0 ? clock.sinceMs : await readClock();
      await untilNoted(place);
      const last = runs.at(-1);
      if (last) {
        runs[place - 1] = { ...last, unseenToMs: last.toMs + (performance.now() - setAtMs) * SPEED };
      }
      const notedMs = await readClock();
      const beganMs = Math.max(notedMs, place === RUNS.length - 1 ? (last?.toMs ?? 0) : 0);
      let recordedMs = notedMs;
      await until(async () => {
        const reachedMs = place === BEFORE_ALL ? await readClock() : await lastMinute(notedMs);
        expect(reachedMs).toBeGreaterThan(beganMs + (MINUTES[place] ?? 0) * MINUTE_MS);
        if (place !== BEFORE_ALL) recordedMs = reachedMs;
      }, 90_000);
      await untilMinuteEnds();
      const toMs = await readClock();
      runs.push({ fromMs, notedMs, recordedMs, toMs, unseenToMs: toMs });
    }
    await board.expectExact();
    // PostgreSQL ends a stream whose clock leaps ahead: it has waited for an answer for an hour.
    expect(unliveSpansMs(board.screen.displayed).filter((ms) => ms > LIVE_WITHIN_MS)).toEqual([]);

    const clockRuns = await history.clockRuns({ backMs: 3_000, aheadMs: 600_000 });
    expect(clockRuns.length).toBe(RUNS.length);
    const recorded = await readRecordedMinutes(admin);
    // Minutes went on while the screen was compared.
    const lastRun = runs.pop();
    if (lastRun) runs.push({ ...lastRun, toMs: await readClock() });
    const recounts = await Promise.all(
      runs.map(async ({ fromMs, toMs }, place) =>
        history.recount({
          eventId: DEFAULT_EVENT_ID,
          rows: DEFAULT_VENUE.sectors,
          fromMs: minuteAfter(fromMs) - MINUTE_MS,
          toMs: minuteAfter(toMs),
          clock,
          ...(clockRuns[place] && { run: clockRuns[place] }),
        }),
      ),
    );
    const times = [...new Set(recorded.map(({ minuteMs }) => minuteMs))];
    expect(recorded.length).toBe(times.length * (DEFAULT_VENUE.sectors.length + 1));
    const wentThrough = (minuteMs: number): number[] =>
      runs.flatMap(({ fromMs, toMs }, run) =>
        minuteMs < toMs && minuteMs + MINUTE_MS > fromMs ? [run] : [],
      );
    // Which run a minute is of: the first one that went through it.
    const runOf = (minuteMs: number): number => wentThrough(minuteMs)[0] ?? -1;
    /** Its runs that it may be of: where it began before the first one was seen to be set, the next one, too. */
    const runsOf = (minuteMs: number): number[] => {
      const [first = -1, next = -1] = wentThrough(minuteMs);
      const isUnseen = minuteMs < (runs[first]?.notedMs ?? 0);
      return isUnseen ? [first, next] : [first];
    };
    const truthOf = (run: number, { minuteMs, sector }: RecordedMinute) => {
      const truth = recounts[run]?.find((other) => other.minuteMs === minuteMs && other.sector === sector);
      if (!truth) return undefined;
      const { admitted, entered, reverted, moved, valid } = truth;
      return { admitted, net: entered - reverted + moved, entered, reverted, moved, valid };
    };
    const wrong = recorded.flatMap((minute) => {
      const { admitted, net, entered, reverted, moved, valid } = minute;
      const is = JSON.stringify({ admitted, net, entered, reverted, moved, valid });
      const truths = runsOf(minute.minuteMs).map((run) => truthOf(run, minute));
      const agrees = truths.some((truth) => JSON.stringify(truth) === is);
      return agrees ? [] : [{ minute, runs: runsOf(minute.minuteMs), truths }];
    });
    expect(wrong).toEqual([]);
    const lost = runs.flatMap(({ notedMs, recordedMs }, run) => {
      const minutes: number[] = [];
      // A minute that begins before that is not watched from its beginning.
      const watchedMs = minuteAfter(notedMs + WATCHED_WITHIN_MS * SPEED);
      const firstMs = Math.min(watchedMs, times.find((ms) => ms >= notedMs) ?? watchedMs);
      for (let ms = firstMs; ms <= recordedMs; ms += MINUTE_MS) minutes.push(ms);
      return minutes.filter((ms) => !mayHaveBeen(ms, runs.slice(0, run)) && !times.includes(ms));
    });
    expect(lost).toEqual([]);
    expect(recordedByRun(times, runOf)).toEqual([0, 1, 2, 4, 5]);
    const log = await admin<{ kind: string; data: Record<string, number> }[]>`
      select kind, data from triagem.log where kind in ('clock', 'gap') order by seq`;
    const setByS = log.flatMap(({ kind, data }) =>
      kind === 'clock' ? [Math.round((data['byMs'] ?? 0) / 1_000)] : [],
    );
    expect(setByS).toEqual(RUNS.slice(1).map((aheadS, n) => aheadS - (RUNS[n] ?? 0)));
    // What the clock leapt over, as it was known then: of this, it went back to a part.
    const leapt = times.filter((ms) => runOf(ms) < 2);
    expect(log.filter(({ kind }) => kind === 'gap').map(({ data }) => data)).toEqual([
      ...findGaps(leapt),
      ...findGaps(times.filter((ms) => runOf(ms) >= 2)),
    ]);
  },
);

/**
 * Whether the clock was in this minute in one of these runs, or might have gone there until it was seen that it was set;
 * it was in all that was before the first one.
 */
function mayHaveBeen(minuteMs: number, runs: readonly Run[]): boolean {
  return runs.some(
    ({ fromMs, unseenToMs }, place) =>
      minuteMs < unseenToMs && (place === 0 || minuteMs + MINUTE_MS > fromMs),
  );
}

/** The first one that begins then or later. */
function minuteAfter(atMs: number): number {
  return Math.ceil(atMs / MINUTE_MS) * MINUTE_MS;
}

/** Which runs left any minute. */
function recordedByRun(minutesMs: readonly number[], runOf: (minuteMs: number) => number): number[] {
  return [...new Set(minutesMs.map(runOf))].toSorted((a, b) => a - b);
}

/** The spans in which a screen that has been live was not. */
function unliveSpansMs(displayed: readonly DisplayedState[]): number[] {
  const since = displayed.slice(displayed.findIndex(({ live }) => live));
  return since.flatMap(({ live, unhinderedMs }, n) =>
    live ? [] : [(since[n + 1]?.unhinderedMs ?? Infinity) - unhinderedMs],
  );
}
