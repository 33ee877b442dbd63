import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { formatPosition } from '../../domain/log-position.ts';
import { serverEntry } from '../../testing/server/server-entry.ts';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { MemoryRecord } from '../record/memory-record.ts';
import type { Snapshot } from '../../board/sources/ticket-source.ts';
import type { RecordListener } from '../record/record.ts';
import { EventFlow } from './event-flow.ts';
import { REAL_TIME } from './flow-clock.ts';

const EVENT = 'event';
const NOON_MS = Date.UTC(2026, 10, 26, 12);
const ENTERED = [477, 517] as const;

afterEach(() => void vi.restoreAllMocks());

/** A record to which something else may add, as a restore does. */
class SharedRecord extends MemoryRecord {
  #listener: RecordListener | undefined;
  readonly noted: LogEntry[] = [];

  override run(listener: RecordListener): void {
    this.#listener = listener;
    super.run(listener);
  }

  override note(entry: LogEntry): void {
    this.noted.push(entry);
    super.note(entry);
  }

  get reader(): RecordListener {
    if (!this.#listener) throw new Error('nobody reads the record');
    return this.#listener;
  }
}

const sectorsOf = (net: number): Minute['sectors'] =>
  [...ENTERED, 0].map((admitted) => ({
    admitted,
    net,
    entered: net,
    reverted: 0,
    moved: 0,
    valid: 1_000,
    lots: 0,
  }));

/** Those of the match until a minute before the board was started. */
const MINUTES: readonly Minute[] = [-3, -2, -1].map((n) => ({
  minuteMs: NOON_MS + n * MINUTE_MS,
  sectors: sectorsOf(0),
}));

const STARTED = serverEntry('started:1', 'started', { version: '1' }, NOON_MS - 3 * MINUTE_MS);
const LOG: readonly LogRow[] = [{ ...STARTED, seq: 1, previous: '' }];
const POSITION = formatPosition('1', 1, 0n);

/** A board that is ready three seconds before the end of a minute, and has no ticket unless `groups` are given. */
function startBoard(groups: Snapshot['groups'] = []) {
  let atMs = NOON_MS + MINUTE_MS - 3_000;
  const begunMs = performance.now() - atMs;
  vi.spyOn(performance, 'now').mockImplementation(() => atMs + begunMs);
  const record = new SharedRecord(EVENT);
  const flow = new EventFlow({
    eventId: EVENT,
    sectors: ['4', '7'].map((code) => ({ code, codes: [code], name: code, stand: code })),
    timeZone: 'America/Sao_Paulo',
    record,
    source: 'live',
    version: '1',
    clock: REAL_TIME,
    freshness: () => ({ live: true }),
    onIncomplete: () => {},
    log: pino({ level: 'silent' }),
  });
  const { listener } = flow;
  const instant = (agoMs = 0) => ({ sourceMs: atMs - agoMs, readAtMs: performance.now() - agoMs });
  listener.snapshot({
    epoch: 'epoch',
    position: POSITION,
    replayedMs: null,
    takenAt: instant(),
    groups,
    sectors: new Map(),
  });
  flow.start();
  return {
    flow,
    record,
    watch: (ms: number): void => {
      for (let goneMs = 0; goneMs < ms; goneMs += 2_000) {
        atMs += 2_000;
        listener.caughtUpTo(instant(1_000));
      }
    },
    restoreTickets: (): void => {
      listener.restored(undefined);
      for (const [place, count] of ENTERED.entries()) {
        const ticket = { eventId: EVENT, setor: ['4', '7'][place] ?? '', entrou: true, isValidTicket: true };
        for (let n = 0; n < count; n += 1) listener.change({ before: undefined, after: ticket }, atMs);
      }
      listener.commit(0n);
    },
  };
}

test.each([
  ['tickets first', ['tickets', 'record']],
  ['the record first', ['record', 'tickets']],
])(
  'a fresh backup restored soon after an empty board was started brings no late batch: %s',
  (_what, order) => {
    const { flow, record, watch, restoreTickets } = startBoard();
    watch(10_000);
    for (const part of order) {
      if (part === 'tickets') restoreTickets();
      else if (order[0] === 'tickets') record.reader.loaded({ minutes: MINUTES, log: LOG });
      else record.reader.rows(LOG, MINUTES);
      watch(2_000);
    }
    watch(3 * MINUTE_MS);
    flow.stop();
    expect(record.noted.filter(({ kind }) => kind === 'lot')).toEqual([]);
    const minutes = flow.desk.minutes(NOON_MS, Infinity);
    expect(minutes.map(({ minuteMs }) => (minuteMs - NOON_MS) / MINUTE_MS)).toEqual([2, 3]);
    expect(minutes.flatMap(({ sectors }) => sectors.map(({ net, admitted }) => [net, admitted]))).toEqual(
      [2, 3].flatMap(() => [...ENTERED, 0].map((admitted) => [0, admitted])),
    );
  },
);

test.each([
  [true, [1, 2]],
  [false, [0, 1, 2]],
])(
  'after a start, the minutes read were written by one commit, as by a restore: %s; known then: %j',
  (areOfOneCommit, known) => {
    const groups = ENTERED.map((count, place) => ({
      eventId: EVENT,
      ticket: { setor: ['4', '7'][place] ?? '', entrou: true, isValidTicket: true },
      count,
    }));
    const { flow, record, watch } = startBoard(groups);
    record.reader.loaded({ minutes: MINUTES, log: LOG, areOfOneCommit });
    watch(2 * MINUTE_MS + 10_000);
    flow.stop();
    const minutes = flow.desk.minutes(NOON_MS, Infinity);
    expect(minutes.map(({ minuteMs }) => (minuteMs - NOON_MS) / MINUTE_MS)).toEqual(known);
  },
);

test('a board that knew of no times before a restore takes none back that the restored log has', () => {
  const { flow, record, watch, restoreTickets } = startBoard();
  flow.listener.metadata(EVENT, undefined, POSITION);
  watch(4_000);
  const details = {
    title: 'A × B',
    gatesOpenAtMs: NOON_MS - 60 * MINUTE_MS,
    kickOffAtMs: NOON_MS + 60 * MINUTE_MS,
    timeZone: null,
  };
  const { gatesOpenAtMs, kickOffAtMs } = details;
  const times = serverEntry('times:1', 'times', { gatesOpenAtMs, kickOffAtMs }, STARTED.atMs);
  restoreTickets();
  record.reader.loaded({ minutes: MINUTES, log: [...LOG, { ...times, seq: 2, previous: '' }] });
  record.reader.leader();
  watch(4_000);
  const noted = () => record.noted.flatMap(({ kind, data }) => (kind === 'times' ? [data] : []));
  expect(noted()).toEqual([]);
  flow.listener.metadata(EVENT, details, POSITION);
  expect(noted()).toEqual([]);
  flow.listener.metadata(EVENT, { ...details, kickOffAtMs: null }, POSITION);
  expect(noted()).toEqual([{ gatesOpenAtMs, kickOffAtMs: null }]);
  flow.stop();
});

test('a trial hours before the gates open gives the match no best rate', () => {
  const { flow, record, watch } = startBoard();
  watch(10_000);
  const ofTrial = [1, 2, 3, 4, 5].map((n) => ({
    minuteMs: NOON_MS - 600 * MINUTE_MS + n * MINUTE_MS,
    sectors: sectorsOf(50),
  }));
  record.reader.loaded({ minutes: ofTrial, log: LOG });
  const best = () => flow.desk.state().rows.map(({ bestFive }) => bestFive);
  expect(best()).toEqual([50, 50, 50]);
  const details = {
    title: 'A × B',
    gatesOpenAtMs: NOON_MS + 60 * MINUTE_MS,
    kickOffAtMs: null,
    timeZone: null,
  };
  flow.listener.metadata(EVENT, details, POSITION);
  expect(best()).toEqual([null, null, null]);
  flow.stop();
});
