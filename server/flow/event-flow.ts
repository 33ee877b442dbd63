import type { Logger } from 'pino';
import type { EventDetails } from '../../domain/event-details.ts';
import type { Freshness, SectorDocument } from '../../domain/event-state.ts';
import type { DeskCommand } from '../../domain/flow/desk-command.ts';
import type { DeskState } from '../../domain/flow/desk-state.ts';
import type { LogEntry, LogRow } from '../../domain/flow/flow-log.ts';
import { FlowSeries } from '../../domain/flow/flow-series.ts';
import { findGaps } from '../../domain/flow/gaps.ts';
import { type LogState, readLogState } from '../../domain/flow/log-state.ts';
import type { Lot } from '../../domain/flow/lots.ts';
import type { Minute } from '../../domain/flow/minute.ts';
import type { Sector } from '../../domain/venue.ts';
import type { FeedListener } from '../observing/feed-tee.ts';
import { checkCommand, type CommandContent, contentOf, isSame } from './check-command.ts';
import { CommandRefused, type Desk } from './desk.ts';
import { describeDesk, figuresOf } from './describe-desk.ts';
import type { FlowClock } from './flow-clock.ts';
import { FlowProjection } from './flow-projection.ts';
import { type FlowRecord, type RecordListener, RecordUnavailableError } from './record/record.ts';

export interface EventFlowOptions {
  readonly eventId: string;
  /** The rows of the venue. */
  readonly sectors: readonly Sector[];
  /** Where the event says none: an IANA name. */
  readonly timeZone: string;
  readonly record: FlowRecord;
  /** Of this server: it stands in the log. */
  readonly version: string;
  readonly clock: FlowClock;
  readonly freshness: () => Freshness;
  readonly log: Logger;
}

/**
 * The flow of one event: what the feed tells becomes minutes, and the minutes and the log become the record's as soon as
 * this process writes it. Nothing here holds the counts up: the record may be away.
 */
export class EventFlow implements Desk {
  readonly eventId: string;
  readonly sectors: readonly string[];
  readonly #options: EventFlowOptions;
  readonly #series: FlowSeries;
  readonly #projection: FlowProjection;
  readonly #listeners = new Set<(minute: Minute) => void>();
  /** What the feed tells. */
  readonly feed: FeedListener = {
    snapshot: (snapshot) => {
      this.#documents = snapshot.sectors;
      this.#projection.snapshot(snapshot);
      this.#hasCounts = true;
      this.#noteStart();
    },
    change: (change) => this.#projection.change(change),
    truncate: () => this.#projection.truncate(),
    commit: (lsn, committedAtMs) => this.#projection.commit(lsn, committedAtMs),
    reached: (clock) => this.#projection.reached(clock),
    sectors: (documents) => void (this.#documents = documents),
    details: (details) => {
      this.#details = details;
      this.#areDetailsRead = true;
      this.#noteTimes();
    },
  };
  #rows: readonly LogRow[] = [];
  #state: LogState | undefined;
  /** Ids of entries that this process has asked to be recorded. */
  readonly #noted = new Set<string>();
  #details: EventDetails | undefined;
  #areDetailsRead = false;
  /** Before the first ones, no entry can have the figures of its moment. */
  #hasCounts = false;
  #documents: readonly SectorDocument[] = [];
  #lastMinuteMs: number | undefined;
  readonly #startedAtMs = Date.now();
  #lastCommand: Promise<unknown> = Promise.resolve();

  constructor(options: EventFlowOptions) {
    this.#options = options;
    const { eventId, sectors, clock, log } = options;
    this.eventId = eventId;
    this.sectors = [...sectors.map(({ code }) => code), ''];
    this.#series = new FlowSeries({
      sectorCount: this.sectors.length,
      onLot: (lot) => this.#noteLot(lot),
    });
    this.#projection = new FlowProjection({
      eventId,
      rows: sectors,
      series: this.#series,
      clock,
      onMinutes: (minutes) => this.#take(minutes),
      onClockSet: (byMs) => {
        log.warn(
          { byMs: Math.round(byMs) },
          "the database's clock was set: the minutes it went over are a gap",
        );
        this.#note('clock', `clock:${Math.round(this.#projection.nowMs)}`, { byMs: Math.round(byMs) });
      },
    });
  }

  /** Begins to keep the record. */
  start(): void {
    this.#options.record.run(this.#recordListener);
  }

  // What desks ask.

  state(): DeskState {
    const { record, sectors, timeZone, freshness } = this.#options;
    return describeDesk({
      eventId: this.eventId,
      nowMs: this.#projection.nowMs,
      timeZone: this.#details?.timeZone ?? timeZone,
      freshness: freshness(),
      series: this.#series,
      sectors,
      documents: this.#documents,
      log: this.#logState,
      rows: this.#rows,
      lastMinuteMs: this.#lastMinuteMs,
      record,
    });
  }

  minutes(fromMs: number, toMs: number): readonly Minute[] {
    return this.#series.minutes(fromMs, toMs);
  }

  log(afterSeq: number): readonly LogRow[] {
    const first = this.#rows[0]?.seq ?? 1;
    return this.#rows.slice(Math.max(0, afterSeq - first + 1));
  }

  command(command: DeskCommand, by: string): Promise<LogRow> {
    // One after the other: whether the second makes sense depends on the first.
    const result = this.#lastCommand.then(() => this.#execute(command, by));
    this.#lastCommand = result.catch(() => {});
    return result;
  }

  onMinute(listener: (minute: Minute) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #execute(command: DeskCommand, by: string): Promise<LogRow> {
    if (!this.#hasCounts) throw new RecordUnavailableError('The tickets have not been counted yet');
    const content = contentOf(command);
    const there = this.#rows.find(({ id }) => id === command.id);
    if (there) {
      if (isSame(there, content, by)) return there;
      throw new CommandRefused('id-in-use', 'another command has this id');
    }
    checkCommand(command, this.#logState, this.#rows);
    return this.#options.record.append(this.#entry(command.id, content, by));
  }

  // What the record tells.

  readonly #recordListener: RecordListener = {
    loaded: ({ minutes, log }) => {
      this.#rows = log;
      this.#state = undefined;
      this.#lastMinuteMs = minutes.at(-1)?.minuteMs ?? this.#lastMinuteMs;
      this.#take(this.#series.restore(minutes));
    },
    rows: (log, minutes) => {
      if (log.length > 0) {
        this.#rows = [...this.#rows, ...log];
        this.#state = undefined;
      }
      if (minutes.length > 0) this.#take(this.#series.restore(minutes));
    },
    writer: () => {
      const { record } = this.#options;
      record.writeMinutes(this.#known);
      this.#noteStart();
      this.#noteGaps(this.#projection.nowMs);
    },
  };

  /** Minutes that have become known. */
  #take(minutes: readonly Minute[]): void {
    const newest = minutes.at(-1);
    if (!newest) return;
    this.#lastMinuteMs = Math.max(this.#lastMinuteMs ?? newest.minuteMs, newest.minuteMs);
    const { record } = this.#options;
    record.writeMinutes(minutes);
    // What is a gap is known to whoever knows all that is recorded.
    if (record.state.kind === 'writer') this.#noteGaps(newest.minuteMs);
    for (const minute of minutes) for (const listener of this.#listeners) listener(minute);
  }

  // What this process adds to the log by itself.

  /** Of the minutes up to this one. After a clock was set back, those ahead of it may still become known. */
  #noteGaps(untilMs: number): void {
    for (const { fromMs, toMs } of findGaps(this.#series.knownMs(0, untilMs + 1)))
      this.#note('gap', `gap:${fromMs}`, { fromMs, toMs });
  }

  #noteLot({ sector, atMs, count }: Lot): void {
    const code = this.sectors[sector] ?? '';
    this.#note('lot', `lot:${code}:${Math.round(atMs)}`, { count }, code);
  }

  #noteStart(): void {
    if (!this.#hasCounts || this.#options.record.state.kind !== 'writer') return;
    this.#note('started', `started:${this.#startedAtMs}`, { version: this.#options.version });
    this.#noteTimes();
  }

  /** What the event's details say, if it is not what the log says last. */
  #noteTimes(): void {
    if (!this.#hasCounts || !this.#areDetailsRead || this.#options.record.state.kind !== 'writer') return;
    const last = this.#rows.findLast((row) => row.kind === 'times');
    const { gatesOpenAtMs = null, kickOffAtMs = null } = this.#details ?? {};
    const told = last?.kind === 'times' ? last.data : { gatesOpenAtMs: null, kickOffAtMs: null };
    if (told.gatesOpenAtMs === gatesOpenAtMs && told.kickOffAtMs === kickOffAtMs) return;
    const id = `times:${last?.seq ?? 0}:${gatesOpenAtMs ?? ''}:${kickOffAtMs ?? ''}`;
    this.#note('times', id, { gatesOpenAtMs, kickOffAtMs });
  }

  #note(kind: LogEntry['kind'], id: string, data: LogEntry['data'], sector: string | null = null): void {
    if (this.#noted.has(id) || this.#rows.some((row) => row.id === id)) return;
    this.#noted.add(id);
    this.#options.record.note(this.#entry(id, { kind, data, sector }, null));
  }

  #entry(id: string, content: CommandContent, by: string | null): LogEntry {
    const { sector } = content;
    return {
      ...content,
      id,
      atMs: Math.round(this.#projection.nowMs),
      source: 'live',
      by,
      figures: figuresOf(this.#series, sector === null ? undefined : this.sectors.indexOf(sector)),
    } as LogEntry;
  }

  /** By the flow's clock: milliseconds since 1970. */
  get nowMs(): number {
    return this.#projection.nowMs;
  }

  /** Those of the last day. */
  get #known(): readonly Minute[] {
    return this.#series.minutes(0, Number.POSITIVE_INFINITY);
  }

  get #logState(): LogState {
    return (this.#state ??= readLogState(this.#rows));
  }
}
