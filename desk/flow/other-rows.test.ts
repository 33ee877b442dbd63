import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { formatPosition } from '../../domain/log-position.ts';
import { NO_FIGURES } from '../../testing/desk/log-rows.ts';
import { serverEntry } from '../../testing/server/server-entry.ts';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { MemoryRecord } from '../record/memory-record.ts';
import type { RecordListener } from '../record/record.ts';
import { EventFlow } from './event-flow.ts';
import type { IncompleteListener } from './incomplete-watch.ts';
import { REAL_TIME } from './flow-clock.ts';

const EVENT = 'event';
const NOON_MS = Date.UTC(2026, 10, 26, 12);

afterEach(() => void vi.restoreAllMocks());

/** 100 were in with the code 4, and 300 with Z, which no row had. */
const BEFORE: Minute = {
  minuteMs: NOON_MS - MINUTE_MS,
  sectors: [100, 300].map((admitted) => ({
    admitted,
    net: 0,
    entered: 0,
    reverted: 0,
    moved: 0,
    valid: 1_000,
    lots: 0,
  })),
};

/** People passed unread in the sector 7, as the row with its tickets was named then. */
const MARK: LogRow = {
  id: 'mark',
  kind: 'mark',
  by: 'Ana',
  atMs: NOON_MS - MINUTE_MS,
  source: 'live',
  sector: '7',
  data: { mark: 'unscanned', sinceMs: NOON_MS - MINUTE_MS },
  figures: NO_FIGURES,
  seq: 2,
  previous: '',
};

/** The record of a server that counted such rows. */
class RecordBefore extends MemoryRecord {
  readonly noted: LogEntry[] = [];
  readonly #rows: string;

  constructor(rows: string) {
    super(EVENT);
    this.#rows = rows;
  }

  override run(listener: RecordListener): void {
    const started = serverEntry(
      'started:1',
      'started',
      { version: '1', rows: this.#rows },
      NOON_MS - MINUTE_MS,
    );
    const log: readonly LogRow[] = [{ ...started, seq: 1, previous: '' }];
    super.run({ ...listener, loaded: () => listener.loaded({ minutes: [BEFORE], log: [...log, MARK] }) });
  }

  override note(entry: LogEntry): void {
    this.noted.push(entry);
    super.note(entry);
  }

  /** Of the server that reads it. */
  get rows(): string {
    const started = this.noted.find(({ kind }) => kind === 'started');
    return (started?.kind === 'started' && started.data.rows) || '';
  }
}

/** Starts within the minute after `BEFORE`, sees it end, and then another one, with one entry in each. */
function watchFrom(rows: string, codes: readonly string[], onIncomplete: IncompleteListener = () => {}) {
  let atMs = NOON_MS + 12_000;
  const begunMs = performance.now() - atMs;
  vi.spyOn(performance, 'now').mockImplementation(() => atMs + begunMs);
  const record = new RecordBefore(rows);
  const flow = new EventFlow({
    eventId: EVENT,
    sectors: [{ code: '4', codes, name: '4', stand: '4' }],
    timeZone: 'America/Sao_Paulo',
    record,
    source: 'live',
    version: '1',
    clock: REAL_TIME,
    freshness: () => ({ live: true }),
    onIncomplete,
    log: pino({ level: 'silent' }),
  });
  const instant = () => ({ sourceMs: atMs, readAtMs: performance.now() });
  const ticket = (setor: string, entrou: boolean) => ({ eventId: EVENT, setor, entrou, isValidTicket: true });
  flow.start();
  flow.listener.snapshot({
    epoch: 'epoch',
    position: formatPosition('1', 1, 0n),
    replayedMs: null,
    takenAt: instant(),
    groups: [
      { eventId: EVENT, ticket: ticket('4', true), count: 100 },
      { eventId: EVENT, ticket: ticket('Z', true), count: 300 },
    ],
    sectors: new Map(),
  });
  for (const end of [1, 2]) {
    flow.listener.change({ before: ticket('4', false), after: ticket('4', true) }, atMs);
    flow.listener.commit(0n);
    atMs = NOON_MS + end * MINUTE_MS + 1_000;
    flow.listener.caughtUpTo(instant());
  }
  flow.stop();
  return {
    rows: record.rows,
    lots: record.noted.flatMap(({ kind, data }) => (kind === 'lot' ? [data] : [])),
    minutes: flow.desk.minutes(NOON_MS, Infinity).map(({ minuteMs, sectors }) => ({
      at: (minuteMs - NOON_MS) / MINUTE_MS,
      net: sectors.map(({ net }) => net),
    })),
  };
}

test('the minute in which a server starts with other codes in its rows is not known: nobody came in a batch', () => {
  const { rows } = watchFrom('', ['4']);
  expect(watchFrom(rows, ['4'])).toEqual({
    rows,
    lots: [],
    minutes: [
      { at: 0, net: [1, 0] },
      { at: 1, net: [1, 0] },
    ],
  });
  const other = watchFrom(rows, ['4', 'Z']);
  expect(other.rows).not.toBe(rows);
  expect(other).toMatchObject({ lots: [], minutes: [{ at: 1, net: [1, 0] }] });
});

test('a mark stays with the row that counts its tickets now, and with the others where none does', () => {
  const markedRows = (codes: readonly string[]): (string | null)[] => {
    const rows: (string | null)[] = [];
    watchFrom('', codes, (counts) => void rows.splice(0, rows.length, ...counts.map(({ row }) => row)));
    return rows;
  };
  expect(markedRows(['4', '7'])).toEqual(['4']);
  expect(markedRows(['4'])).toEqual(['']);
});
