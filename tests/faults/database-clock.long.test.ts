import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { findGaps } from '../../domain/flow/gaps.ts';
import { MINUTE_MS } from '../../domain/flow/minute.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { speedUp } from '../../server/flow/flow-clock.ts';
import { startTestCluster } from '../../testing/cluster.ts';
import { DESK_KEY } from '../../testing/desk-app.ts';
import { FAULT_LIMITS, LIVE_WITHIN_MS } from '../../testing/durations.ts';
import type { DisplayedState } from '../../testing/screen.ts';
import { startTestBoard } from '../../testing/test-board.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { keepTicketHistory } from '../../testing/ticket-history.ts';
import { readRecordedMinutes, type RecordedMinute } from '../flow/expect-recounted.ts';

/** A minute of the flow is five seconds. */
const SPEED = 12;
const HOUR_S = 3_600;
/** How far the database's clock is from where it began, and for how many minutes: the last run goes beyond the one before. */
const RUNS = [
  { aheadS: 0, minutes: 4 },
  { aheadS: HOUR_S, minutes: 4 },
  { aheadS: 0, minutes: 4 },
  { aheadS: -HOUR_S, minutes: 2 },
  { aheadS: 0, minutes: 3 },
  { aheadS: -20, minutes: 8 },
];
/** Ahead of this machine's at all times: libfaketime tells signal handlers the machine's time, and timers would end early. */
const BEGIN_S = 2 * HOUR_S;
/** After it was set, and before: minutes that touch these may stay unknown. By the database's clock. */
const SETTLES_WITHIN_MS = 4_000;
const TOLD_WITHIN_MS = 3_000;

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
      await pause(leftMs / SPEED - 150);
    };

    const runs: { fromMs: number; toMs: number }[] = [];
    board.startWriting();
    for (const { aheadS, minutes } of RUNS) {
      cluster.setClock(BEGIN_S + aheadS);
      const fromMs = await readClock();
      await pause((minutes * MINUTE_MS) / SPEED);
      await untilMinuteEnds();
      runs.push({ fromMs, toMs: await readClock() });
    }
    await board.expectExact();
    // PostgreSQL ends a stream whose clock leaps ahead: it has waited for an answer for an hour.
    expect(unliveSpansMs(board.screen.displayed).filter((ms) => ms > LIVE_WITHIN_MS)).toEqual([]);

    const clockRuns = await history.clockRuns({ backMs: 10_000, aheadMs: 600_000 });
    expect(clockRuns.length).toBe(RUNS.length);
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
    const recorded = await readRecordedMinutes(admin);
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
      const isUnseen = minuteMs < (runs[first]?.fromMs ?? 0) + SETTLES_WITHIN_MS * SPEED;
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
    const lost = runs.flatMap(({ fromMs, toMs }, run) => {
      const minutes: number[] = [];
      const [firstMs, lastMs] = [fromMs + SETTLES_WITHIN_MS * SPEED, toMs - TOLD_WITHIN_MS * SPEED];
      for (let ms = minuteAfter(firstMs); ms + MINUTE_MS <= lastMs; ms += MINUTE_MS) minutes.push(ms);
      return minutes.filter((ms) => !mayHaveBeen(ms, runs.slice(0, run)) && !times.includes(ms));
    });
    expect(lost).toEqual([]);
    expect(recordedByRun(times, runOf)).toEqual([0, 1, 2, 4, 5]);
    const log = await admin<{ kind: string; data: Record<string, number> }[]>`
      select kind, data from triagem.log where kind in ('clock', 'gap') order by seq`;
    const setByS = log.flatMap(({ kind, data }) =>
      kind === 'clock' ? [Math.round((data['byMs'] ?? 0) / 1_000)] : [],
    );
    expect(setByS).toEqual(RUNS.slice(1).map(({ aheadS }, n) => aheadS - (RUNS[n]?.aheadS ?? 0)));
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
function mayHaveBeen(
  minuteMs: number,
  runs: readonly { readonly fromMs: number; readonly toMs: number }[],
): boolean {
  return runs.some(
    ({ fromMs, toMs }, place) =>
      minuteMs < toMs + TOLD_WITHIN_MS * SPEED && (place === 0 || minuteMs + MINUTE_MS > fromMs),
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
