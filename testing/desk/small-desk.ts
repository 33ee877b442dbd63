import { performance } from 'node:perf_hooks';
import type { DeskFigures, DeskRecord, DeskState } from '../../desk/model/desk-state.ts';
import type { UsualCurve } from '../../desk/model/forecast/usual-curve.ts';
import type { LogRow } from '../../desk/model/log/flow-log.ts';
import { MINUTE_MS, type Minute } from '../../desk/model/series/minute.ts';
import { readLogState } from '../../desk/model/log/log-state.ts';
import { checkCommand, contentOf } from '../../desk/flow/check-command.ts';
import { CommandRefused, type Desk } from '../../desk/flow/desk.ts';
import { RecordUnavailableError } from '../../desk/record/record.ts';
import { isSameEntry } from '../../desk/flow/operator-commands.ts';

/** When its event happens. */
export const DESK_NOW_MS = 1_790_000_040_000;

/** A desk with a log in memory, and the minutes that a test closes. */
export interface SmallDesk extends Desk {
  state(): DeskState;
  readonly rows: LogRow[];
  /** The state of the record: `away` refuses a command, `silent` never answers. */
  record: DeskRecord['state'] | { readonly kind: 'silent' };
  /** Usual curves by the index of a sector, or undefined for the whole ground. */
  readonly usualCurves: Map<number | undefined, UsualCurve>;
  /** How often its state was read. */
  readonly statesTold: number;
  closeMinute(minute: Minute): void;
}

const NOBODY = { admitted: 0, valid: 0, perMinute: null };

export function createSmallDesk(eventId: string, sectors: readonly string[] = ['4', '5', '']): SmallDesk {
  const startMs = performance.now();
  const rows: LogRow[] = [];
  const minutes: Minute[] = [];
  const listeners = new Set<(minute: Minute) => void>();
  let statesTold = 0;
  const nowMs = (): number => DESK_NOW_MS + Math.round(performance.now() - startMs);

  const desk: SmallDesk = {
    eventId,
    sectors,
    source: 'live',
    rows,
    usualCurves: new Map(),
    record: { kind: 'writer' },
    get statesTold() {
      return statesTold;
    },
    state() {
      statesTold += 1;
      const { record } = desk;
      return {
        eventId,
        timeZone: 'America/Sao_Paulo',
        nowMs: nowMs(),
        source: { live: true },
        times: { gatesOpenAtMs: null, kickOffAtMs: null, isKickOffOfDesk: false },
        total: noFigures(),
        rows: sectors.map((code) => ({ code, state: 'unknown', ...noFigures() })),
        marks: [],
        entryClosedAtMs: null,
        evacuatedAtMs: null,
        watch: { atMs: null, waits: 'no-kick-off' },
        alarms: readLogState(rows).alarms,
        suspensions: readLogState(rows).suspensions,
        forecast: { kind: 'none', why: 'no-kick-off' },
        trackRecord: [],
        lastMinuteMs: minutes.at(-1)?.minuteMs ?? null,
        lastSeq: rows.length,
        record: {
          state: record.kind === 'silent' ? { kind: 'writer' } : record,
          isKept: false,
          minutesWaiting: 0,
        },
      };
    },
    stateAt(endMs) {
      const known = minutes.filter(({ minuteMs }) => minuteMs < endMs);
      if (known.length === 0 || !minutes.some(({ minuteMs }) => minuteMs + MINUTE_MS >= endMs))
        return undefined;
      return { ...desk.state(), nowMs: endMs, lastMinuteMs: known.at(-1)?.minuteMs ?? null };
    },
    minutes: (fromMs, toMs) => minutes.filter(({ minuteMs }) => minuteMs >= fromMs && minuteMs < toMs),
    usualCurve: (sector) => desk.usualCurves.get(sector) ?? null,
    log: (afterSeq, limit = rows.length) => rows.slice(afterSeq, afterSeq + limit),
    async command(command, by) {
      if (desk.record.kind === 'silent') return new Promise(() => {});
      if (desk.record.kind !== 'writer')
        throw new RecordUnavailableError('another process writes the record');
      const there = rows.find(({ id }) => id === command.id);
      const content = contentOf(command);
      if (there) {
        if (isSameEntry(there, content, by)) return there;
        throw new CommandRefused('id-in-use', 'another command has this id');
      }
      const takeBacks = rows.filter((row) => row.kind === 'take-back');
      const find = (id: string) => rows.find((row) => row.id === id);
      checkCommand(command, { state: readLogState(rows), find, takeBacks }, nowMs());
      const row = {
        ...content,
        id: command.id,
        atMs: nowMs(),
        source: 'live',
        by,
        figures: { total: NOBODY, sector: null },
        seq: rows.length + 1,
        previous: '',
      } as LogRow;
      rows.push(row);
      return row;
    },
    onMinute(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    closeMinute(minute) {
      minutes.push(minute);
      for (const listener of listeners) listener(minute);
    },
  };
  return desk;
}

/** Returns a minute with these entries, by sector. */
export function minuteOf(index: number, entered: readonly number[]): Minute {
  return {
    minuteMs: DESK_NOW_MS - (DESK_NOW_MS % MINUTE_MS) + index * MINUTE_MS,
    sectors: entered.map((count) => ({
      admitted: count,
      net: count,
      entered: count,
      reverted: 0,
      moved: null,
      valid: 1_000,
      lots: 0,
    })),
  };
}

function noFigures(): DeskFigures {
  return {
    admitted: 0,
    valid: 0,
    capacity: null,
    lastMinute: null,
    lastFive: null,
    bestFive: null,
    lastEntryAtMs: null,
    incompleteSinceMs: null,
  };
}
