import { alarmEntries } from '../../desk/model/alarms/alarm-entries.ts';
import type { AlarmEvaluation, AlarmInputs } from '../../desk/model/alarms/evaluation.ts';
import { evaluateAlarms } from '../../desk/model/alarms/evaluate.ts';
import type { LogEntry, LogKind } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { type LogState, readLogState } from '../../desk/model/log/log-state.ts';
import { BUCKET_MS, MINUTE_MS } from '../../desk/model/series/minute.ts';
import { NO_FIGURES } from '../desk/log-rows.ts';

export interface WatchedGatesOptions {
  /** By place; the last are the others. */
  readonly codes: readonly string[];
  /** Valid tickets of each. */
  readonly valid: number;
  /** Milliseconds since 1970, a multiple of a minute; the gates open two hours before. */
  readonly kickOffMs: number;
  /** Minutes to kick-off at which watching begins. */
  readonly fromMinute: number;
}

/** What the server knows beside the series. */
export type Knowledge = Partial<Pick<AlarmInputs, 'staleForMs' | 'capacities' | 'groundCapacity'>>;

type DataOf<K extends LogKind> = Extract<LogEntry, { kind: K }>['data'];

/** Gates through which so many pass a minute as it is told, a log, and the rules of alarms, asked every ten seconds. */
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

  /** An operator says so, or the server. Returns the id of the entry. */
  say<K extends LogKind>(kind: K, data: DataOf<K>, sector: string | null = null): string {
    const id = `said:${this.log.length}`;
    this.#note({ kind, id, sector, data });
    return id;
  }

  /** From now on, the server knows this. */
  know(knowledge: Knowledge): void {
    this.#knowledge = { ...this.#knowledge, ...knowledge };
  }

  /** So long, so many enter a minute, by place: one number for all. The rules are asked after every ten seconds. */
  pass(minutes: number, perMinute: number | readonly number[]): void {
    this.#goOn(minutes, perMinute, () => {
      for (const entry of alarmEntries(this.evaluate(), this.#state, this.#nowMs)) this.#note(entry);
    });
  }

  /** The same, but that nobody asks the rules. */
  warmUp(minutes: number, perMinute: number | readonly number[]): void {
    this.#goOn(minutes, perMinute, () => undefined);
  }

  /** So many at once, in the sector at this place. */
  lot(place: number, count: number): void {
    this.#series.commit(this.#nowMs, [
      { sector: place, admitted: count, entered: count, reverted: 0, moved: 0, valid: 0 },
    ]);
  }

  /** For so long nobody watches, and so many enter. */
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

  /** What is remembered beside the series and the log is lost. */
  forget(): void {
    this.#state = readLogState(JSON.parse(JSON.stringify(this.log)) as LogEntry[]);
  }

  /** Another process goes on with what the record has: minutes, and the log. */
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

  /** What of alarms stands in the log, as `kind rule sector` or `kind why`. */
  get told(): readonly string[] {
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
