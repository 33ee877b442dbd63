import type { Logger } from 'pino';
import type { EventDetails } from '../../domain/event-details.ts';
import type { Freshness, SectorDocument } from '../../domain/event-state.ts';
import type { ReadingCount } from '../model/desk-readings.ts';
import type { LogEntry, Source } from '../model/log/flow-log.ts';
import { FlowSeries } from '../model/series/flow-series.ts';
import type { Minute } from '../model/series/minute.ts';
import { shortTimelineAt } from '../../domain/log-position.ts';
import type { Sector } from '../../domain/venue.ts';
import type { SourceListener } from '../../board/sources/source-tee.ts';
import { type AlarmCounts, countAlarms } from './alarm-counts.ts';
import type { EntryContext } from './entry-maker.ts';
import { EventDesk } from './event-desk.ts';
import { EventLog, type WaitingListener } from './event-log.ts';
import type { FlowClock } from './flow-clock.ts';
import { FlowGuard } from './flow-guard.ts';
import { FlowProjection } from './flow-projection.ts';
import type { TellIncomplete } from './incomplete-watch.ts';
import { MatchWatch } from './match-watch.ts';
import { OperatorCommands } from './operator-commands.ts';
import { permittedCapacities } from '../../domain/permitted-capacity.ts';
import { RecordingStart } from './recording-start.ts';
import type { FlowRecord, RecordListener } from '../record/record.ts';
import { recordTee } from '../record/record-tee.ts';
import type { RecordedHistory } from '../record/recorded-history.ts';
import { ServerEntries } from './server-entries.ts';

export interface EventFlowOptions {
  readonly eventId: string;
  /** The rows of the venue. */
  readonly sectors: readonly Sector[];
  /** Where the event says none: an IANA name. */
  readonly timeZone: string;
  readonly record: FlowRecord;
  /** Of minutes and entries. */
  readonly source: Source;
  /** Of this server: it stands in the log. */
  readonly version: string;
  readonly clock: FlowClock;
  readonly freshness: () => Freshness;
  /** Of gates over HTTP, which are not in the count. */
  readonly readings?: (() => readonly ReadingCount[] | undefined) | undefined;
  /** As of the MatchWatch. */
  readonly onIncomplete: TellIncomplete;
  readonly log: Logger;
}

/**
 * The flow of one event: what the source passes on becomes minutes, and the minutes and the log become the record's as soon as
 * this process writes it. Nothing here holds the counts up: the record may be away.
 */
export class EventFlow {
  readonly desk: EventDesk;
  readonly #options: EventFlowOptions;
  readonly #series: FlowSeries;
  readonly #projection: FlowProjection;
  readonly #guard = new FlowGuard({
    onLetPass: (error) => this.#options.log.error({ err: error }, 'a fault of the flow desk: it goes on'),
    onStopped: (error) => {
      const { log, record } = this.#options;
      log.error(
        { err: error },
        'the flow desk has stopped by a fault of its own: the counts go on; restart to start it again',
      );
      record.offer();
    },
  });
  /** Takes what the source passes on. */
  readonly listener: SourceListener = {
    snapshot: this.#guard.tell((snapshot) => {
      this.#documents = snapshot.sectors.get(this.#options.eventId) ?? [];
      this.#projection.snapshot(snapshot);
      this.#timeline = shortTimelineAt(snapshot.position);
      this.#hasCounts = true;
      this.#watch.snapshot();
      if (this.#projection.hasTickets) this.#start.begin(-Infinity);
      this.#noteAll();
    }),
    change: this.#guard.tell((change, madeAtMs) => this.#projection.change(change, madeAtMs)),
    truncate: this.#guard.tell((madeAtMs) => this.#projection.truncate(madeAtMs)),
    restored: this.#guard.tell((eventId) => this.#projection.restored(eventId)),
    commit: this.#guard.tell(() => {
      this.#projection.commit();
      if (!this.#start.hasBegun && this.#projection.hasTickets) this.#start.begin(this.nowMs);
    }),
    caughtUpTo: this.#guard.tell((instant) => this.#projection.caughtUpTo(instant)),
    clockSet: this.#guard.tell((byMs, now) => {
      this.#projection.clockSet(byMs, now);
      this.#options.log.warn(
        { byMs: Math.round(byMs) },
        "the database's clock was set: the minutes it went over are a gap",
      );
      this.#entries.clockSet(byMs);
    }),
    sectorDocuments: this.#guard.tell((eventId, documents) => {
      if (eventId !== this.#options.eventId) return;
      this.#documents = documents;
      this.#noteCapacities();
    }),
    metadata: this.#guard.tell((eventId, metadata) => {
      if (eventId !== this.#options.eventId) return;
      this.#details = metadata;
      this.#areDetailsRead = true;
      this.#noteTimes();
    }),
    stale: this.#guard.tell((reason, sinceMs) => this.#projection.stale(reason, sinceMs)),
    // It is read from `freshness`.
    live: () => {},
  };
  readonly #log: EventLog;
  readonly #entries: ServerEntries;
  readonly #watch: MatchWatch;
  #details: EventDetails | undefined;
  #timeline: string | undefined;
  #areDetailsRead = false;
  #follower: (RecordListener & WaitingListener) | undefined;
  /** Before the first ones, no entry can have the figures of its moment. */
  #hasCounts = false;
  readonly #start = new RecordingStart(() => this.#noteAll());
  #documents: readonly SectorDocument[] = [];
  #lastMinuteMs: number | undefined;

  constructor(options: EventFlowOptions) {
    this.#options = options;
    const { eventId, sectors, clock, record, source, version } = options;
    const codes = [...sectors.map(({ code }) => code), ''];
    this.#series = new FlowSeries({
      sectorCount: codes.length,
      onLot: (lot) => this.#entries.lot(lot),
      onBoundary: (boundaryMs, behindMs) => this.#watch.boundary(boundaryMs, behindMs),
    });
    this.#projection = new FlowProjection({
      eventId,
      rows: sectors,
      series: this.#series,
      clock,
      onMinutes: (minutes) => this.#take(minutes),
      onInterrupted: (fromMs, toMs) => this.#watch.interrupted(fromMs, toMs),
    });
    this.#log = new EventLog(record, {
      noted: (entry) => this.#follower?.noted(entry),
      withdrawn: (ids) => this.#follower?.withdrawn(ids),
    });
    const context: EntryContext = {
      series: this.#series,
      sectors: codes,
      source,
      nowMs: () => this.nowMs,
    };
    const hasCounts = (): boolean => this.#hasCounts;
    const hasBegun = (): boolean => this.#start.hasBegun;
    const canNote = (): boolean => this.#hasCounts && hasBegun() && record.state.kind === 'writer';
    this.#entries = new ServerEntries({ ...context, log: this.#log, version, canNote });
    this.#watch = new MatchWatch({
      ...context,
      eventId,
      log: this.#log,
      record,
      capacities: () => this.#capacities,
      freshness: () => this.#freshness,
      hasCounts,
      hasBegun,
      onIncomplete: options.onIncomplete,
    });
    this.desk = new EventDesk({
      ...context,
      eventId,
      rows: sectors,
      timeZone: options.timeZone,
      log: this.#log,
      record,
      watch: this.#watch,
      commands: new OperatorCommands({ ...context, log: this.#log, record, hasCounts }),
      freshness: () => this.#freshness,
      details: () => this.#details,
      documents: () => this.#documents,
      lastMinuteMs: () => this.#lastMinuteMs,
      timeline: () => this.#timeline,
      readings: options.readings ?? (() => undefined),
    });
  }

  /** Begins to keep the record, and to look after alarms. `follower` is told what it tells, after all here know of it. */
  start(follower?: RecordListener & WaitingListener): void {
    this.#follower = follower;
    this.#watch.start(this.#guard);
    this.#options.record.run(recordTee(this.#recordListener, follower));
  }

  stop(): void {
    this.#watch.stop();
  }

  get alarmCounts(): AlarmCounts {
    return countAlarms(this.#log, this.#watch.evaluation?.atMs, this.nowMs);
  }

  // What is known of other events.

  learn(history: RecordedHistory): void {
    this.#watch.learn(history);
  }

  // What the webhook asks and tells.

  get details(): EventDetails | undefined {
    return this.#details;
  }

  /** The entry of the log with this id, recorded or waiting to be. */
  find(id: string): LogEntry | undefined {
    return this.#log.find(id);
  }

  /** Whether no other process is known to have written the record since this one did. */
  get isLastWriter(): boolean {
    return this.#watch.isWriter;
  }

  notified(id: string, status: number): void {
    this.#entries.notified(id, status);
  }

  // What the record tells.

  readonly #recordListener: RecordListener = {
    loaded: ({ minutes, log }) => {
      this.#log.load(log);
      if (log.length > 0) this.#start.begin(-Infinity);
      this.#watch.logRead();
      this.#lastMinuteMs = minutes.at(-1)?.minuteMs ?? this.#lastMinuteMs;
      this.#take(this.#series.restore(minutes));
    },
    rows: (log, minutes) => {
      this.#log.add(log);
      if (log.length > 0) this.#start.begin(this.nowMs);
      if (minutes.length > 0) this.#take(this.#series.restore(minutes));
    },
    writer: () => {
      const { record } = this.#options;
      this.#watch.writer();
      record.writeMinutes(this.#start.recordable(this.#series.minutes(0, Number.POSITIVE_INFINITY)));
      if (!this.#start.hasBegun) return;
      this.#noteAll();
      // What another process has recorded may be ahead of what was passed here.
      this.#entries.gaps(this.#series.passedMs ?? 0);
      this.#entries.clockSteps();
    },
    returned: (primary) => this.#entries.returned(primary),
  };

  /** Minutes that have become known. */
  #take(minutes: readonly Minute[]): void {
    const newest = minutes.at(-1);
    if (!newest) return;
    this.#lastMinuteMs = Math.max(this.#lastMinuteMs ?? newest.minuteMs, newest.minuteMs);
    const { record } = this.#options;
    record.writeMinutes(this.#start.recordable(minutes));
    this.desk.tell(minutes);
    if (!this.#start.hasBegun) return;
    // What is a gap is known to whoever knows all that is recorded; another process may have watched it.
    if (record.state.kind !== 'writer' || !this.#entries.hasNewGap(newest.minuteMs)) return;
    if (!record.offer()) this.#entries.gaps(newest.minuteMs);
  }

  #noteAll(): void {
    this.#entries.started();
    this.#noteTimes();
    this.#noteCapacities();
  }

  /** What was not read yet is not "nothing". */
  #noteTimes(): void {
    if (this.#areDetailsRead) this.#entries.times(this.#details);
  }

  /** Whether it has stopped by a fault of its own. */
  get hasStopped(): boolean {
    return this.#guard.stoppedAtMs !== undefined;
  }

  get #freshness(): Freshness {
    const verifiedAtMs = this.#guard.stoppedAtMs;
    return verifiedAtMs === undefined
      ? this.#options.freshness()
      : { live: false, verifiedAtMs, reason: 'lag' };
  }

  #noteCapacities(): void {
    this.#entries.capacities(this.#capacities);
  }

  /** Permitted, by place. */
  get #capacities(): readonly (number | null)[] {
    return permittedCapacities(this.#options.sectors, this.#documents);
  }

  /** By the flow's clock: milliseconds since 1970. */
  get nowMs(): number {
    return this.#projection.nowMs;
  }
}
