import { alarmEntries } from '../../desk/model/alarms/alarm-entries.ts';
import type { AlarmEvaluation, AlarmInputs } from '../../desk/model/alarms/evaluation.ts';
import { evaluateAlarms } from '../../desk/model/alarms/evaluate.ts';
import type { LogEntry, LogKind } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { type LogState, readLogState } from '../../desk/model/log/log-state.ts';
import { BUCKET_MS, MINUTE_MS } from '../../desk/model/series/minute.ts';
import { NO_FIGURES } from './log-rows.ts';

export interface WatchedGatesOptions {
  /** Sector codes by index; the last one stands for unknown sectors. */
  readonly codes: readonly string[];
  /** The number of valid tickets of each sector. */
  readonly valid: number;
  /** Unix milliseconds, a multiple of a minute. The gates open two hours before. */
  readonly kickOffMs: number;
  /** The minute from kick-off at which the series begins. */
  readonly fromMinute: number;
}

export type Knowledge = Partial<Pick<AlarmInputs, 'staleForMs' | 'capacities' | 'groundCapacity'>>;

type DataOf<K extends LogKind> = Extract<LogEntry, { kind: K }>['data'];

/** A series with chosen entries per minute, a log, and the alarm rules, evaluated every ten seconds. */
export class WatchedGates {
  readonly log: LogEntry[] = [];
  readonly #options: WatchedGatesOptions;
  #series: FlowSeries;
  #nowMs: number;
  #state: LogState = readLogState([]);
  #owed: number[];
  #knowledge: Knowledge = {};

  constructor(options: WatchedGatesOptions) {
    this.#options = options;
    const { codes, valid, kickOffMs, fromMinute } = options;
    this.#nowMs = kickOffMs + fromMinute * MINUTE_MS;
    this.#owed = codes.map(() => 0);
    this.#series = new FlowSeries({ sectorCount: codes.length });
    this.#series.begin(
      this.#nowMs,
      codes.map(() => ({ admitted: 0, valid })),
    );
    this.#series.advanceTo(this.#nowMs);
    this.say('times', { gatesOpenAtMs: kickOffMs - 120 * MINUTE_MS, kickOffAtMs: kickOffMs });
  }

  get series(): FlowSeries {
    return this.#series;
  }

  get state(): LogState {
    return this.#state;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Adds an entry to the log, as an operator or the server would. Returns its id. */
  say<K extends LogKind>(kind: K, data: DataOf<K>, sector: string | null = null): string {
    const id = `said:${this.log.length}`;
    this.#note({ kind, id, sector, data });
    return id;
  }

  /** Changes the inputs of the rules beside the series. */
  know(knowledge: Knowledge): void {
    this.#knowledge = { ...this.#knowledge, ...knowledge };
  }

  /** Plays entries per minute, by sector or the same for all, and evaluates the rules every ten seconds. */
  pass(minutes: number, perMinute: number | readonly number[]): void {
    this.#goOn(minutes, perMinute, () => {
      for (const entry of alarmEntries(this.evaluate(), this.#state, this.#nowMs)) this.#note(entry);
    });
  }

  /** Plays entries without the rules. */
  warmUp(minutes: number, perMinute: number | readonly number[]): void {
    this.#goOn(minutes, perMinute, () => undefined);
  }

  /** Adds entries of one sector at once. */
  lot(place: number, count: number): void {
    this.#series.commit(this.#nowMs, [
      { sector: place, admitted: count, entered: count, reverted: 0, moved: 0, valid: 0 },
    ]);
  }

  /** Cancels tickets of people who are in, and sells as many new ones. */
  replace(place: number, count: number): void {
    const change = { admitted: 0, entered: 0, reverted: 0, moved: 0, valid: 0, invalid: count };
    this.#series.commit(this.#nowMs, [{ sector: place, ...change }]);
  }

  /** Plays entries that nobody observes. */
  lose(minutes: number, perMinute: number | readonly number[]): void {
    const { totals } = this.#series;
    const counts = totals.map((total, place) => ({
      admitted: total.admitted + Math.round(minutes * rateAt(perMinute, place)),
      valid: total.valid,
    }));
    this.#nowMs += minutes * MINUTE_MS;
    this.#series.begin(this.#nowMs, counts);
    this.#series.advanceTo(this.#nowMs);
  }

  /** Loses all state beside the series and the log. */
  forget(): void {
    this.#state = readLogState(JSON.parse(JSON.stringify(this.log)) as LogEntry[]);
  }

  /** Continues as another process, with minutes and log of the record. */
  restart(): void {
    const { codes } = this.#options;
    const { totals } = this.#series;
    const minutes = this.#series.minutes(0, Infinity);
    this.#series = new FlowSeries({ sectorCount: codes.length });
    this.#series.restore(minutes);
    this.#series.begin(this.#nowMs, totals);
    this.#series.advanceTo(this.#nowMs);
    this.forget();
  }

  evaluate(): AlarmEvaluation {
    const { codes } = this.#options;
    return evaluateAlarms({
      series: this.#series,
      codes,
      capacities: codes.map(() => null),
      groundCapacity: null,
      log: this.#state,
      staleForMs: null,
      nowMs: this.#nowMs,
      ...this.#knowledge,
    });
  }

  /** The alarm entries of the log, as `rule sector` or `kind why`. */
  get alarmLog(): readonly string[] {
    return this.log.flatMap((entry) => {
      if (entry.kind === 'alarm') return [`${entry.data.rule} ${entry.sector ?? 'ground'}`];
      if (entry.kind === 'alarm-returned' || entry.kind === 'alarm-again')
        return [`${entry.kind} ${entry.data.why}`];
      return entry.kind === 'alarm-joined' ? [entry.kind] : [];
    });
  }

  #note(entry: Pick<LogEntry, 'kind' | 'id' | 'sector' | 'data'>): void {
    const head = { atMs: this.#nowMs, source: 'live', by: null, figures: NO_FIGURES };
    this.log.push({ ...head, ...entry } as LogEntry);
    this.#state = readLogState(this.log);
  }

  #goOn(minutes: number, perMinute: number | readonly number[], onBoundary: () => void): void {
    for (let ms = 0; ms < minutes * MINUTE_MS; ms += BUCKET_MS) {
      this.#enter(perMinute);
      this.#nowMs += BUCKET_MS;
      this.#series.advanceTo(this.#nowMs);
      onBoundary();
    }
  }

  #enter(perMinute: number | readonly number[]): void {
    const changes = this.#owed.flatMap((owed, sector) => {
      const due = owed + (rateAt(perMinute, sector) * BUCKET_MS) / MINUTE_MS;
      const count = Math.floor(due + 1e-9);
      this.#owed[sector] = due - count;
      return count > 0 ? [{ sector, admitted: count, entered: count, reverted: 0, moved: 0, valid: 0 }] : [];
    });
    if (changes.length > 0) this.#series.commit(this.#nowMs, changes);
  }
}

function rateAt(perMinute: number | readonly number[], place: number): number {
  return typeof perMinute === 'number' ? perMinute : (perMinute[place] ?? 0);
}
