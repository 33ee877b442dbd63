import { pino } from 'pino';
import type { Row } from '../../domain/event-state.ts';
import type { LogRow } from '../../desk/model/log/flow-log.ts';
import { MINUTE_MS, type Minute } from '../../desk/model/series/minute.ts';
import { PostgresRecord, type PostgresRecordOptions } from '../../desk/record/postgres-record.ts';
import { RECORD_LIMITS } from '../../desk/record/record-limits.ts';
import { RecordSession } from '../../desk/record/record-session.ts';
import { closeOnce } from '../close-once.ts';

/** Rows of the venue in tests of the record. */
export const RECORD_CODES = ['4', '99'];

export function rowsNamed(codes: readonly string[]): Row[] {
  return codes.map((code) => ({ code, codes: [code] }));
}

/** A running record with its events and log lines. */
export interface TestRecord {
  readonly record: PostgresRecord;
  readonly events: {
    /** The last version of each minute, by its beginning. */
    readonly minutes: Map<number, Minute>;
    /** Whether one commit had written all that were loaded last. */
    areOfOneCommit: boolean | undefined;
    log: readonly LogRow[];
    /** The ids of the entries that the log had lost when it was loaded last. */
    lost: readonly string[];
    loaded: number;
    leader: number;
  };
  readonly logged: Record<string, unknown>[];
  readonly stop: () => Promise<void>;
}

/** `known` are the minutes that the record gets whenever it leads. */
export function openTestRecord(
  options: Pick<PostgresRecordOptions, 'url' | 'eventId'> & Partial<PostgresRecordOptions>,
  known: readonly Minute[] = [],
): TestRecord {
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const record = new PostgresRecord({
    place: { setting: 'RECORD_DATABASE_URL' },
    source: 'live',
    rows: rowsNamed(RECORD_CODES),
    log: pino({ base: null }, { write }),
    ...options,
  });
  const events: TestRecord['events'] = {
    minutes: new Map(),
    areOfOneCommit: undefined,
    log: [],
    lost: [],
    loaded: 0,
    leader: 0,
  };
  record.run({
    loaded({ minutes, log, lost = [], areOfOneCommit }) {
      events.loaded += 1;
      events.areOfOneCommit = areOfOneCommit;
      events.minutes.clear();
      for (const minute of minutes) events.minutes.set(minute.minuteMs, minute);
      events.log = log;
      events.lost = lost.map(({ id }) => id);
    },
    rows(log, minutes) {
      for (const minute of minutes) events.minutes.set(minute.minuteMs, minute);
      events.log = [...events.log, ...log];
    },
    leader() {
      events.leader += 1;
      record.writeMinutes(known);
    },
  });
  return { record, events, logged, stop: closeOnce(() => record.stop()) };
}

/** Opens a session that adds to the record without the lock. The caller ends it. */
export function openRecordSession(options: Pick<PostgresRecordOptions, 'url' | 'eventId'>): RecordSession {
  return new RecordSession({
    ...options,
    place: { setting: 'RECORD_DATABASE_URL' },
    source: 'live',
    rows: rowsNamed(RECORD_CODES),
    limits: RECORD_LIMITS,
  });
}

/** Some minutes of a match, from `first` on, in the rows of the venue and the others. */
export function someMinutes(first: number, count: number, sectors = RECORD_CODES.length + 1): Minute[] {
  return Array.from({ length: count }, (_, index): Minute => {
    const number = first + index;
    return {
      minuteMs: 1_795_000_020_000 + number * MINUTE_MS,
      sectors: Array.from({ length: sectors }, (__, sector) => {
        const wasInterrupted = (number + sector) % 5 === 4;
        return {
          admitted: number * 10 + sector,
          net: 10,
          entered: wasInterrupted ? null : 12,
          reverted: wasInterrupted ? null : 3,
          moved: wasInterrupted ? null : 1,
          valid: 5_000,
          lots: number % 7,
        };
      }),
    };
  });
}
