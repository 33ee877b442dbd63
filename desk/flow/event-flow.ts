import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { EventDetails } from '../../domain/event-details.ts';
import type { Freshness, SectorDocument } from '../../domain/event-state.ts';
import type { ReadingCount } from '../model/desk-readings.ts';
import type { LogEntry, Source } from '../model/log/flow-log.ts';
import { FlowSeries } from '../model/series/flow-series.ts';
import { type Minute, MINUTE_MS } from '../model/series/minute.ts';
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
import type { IncompleteListener } from './incomplete-watch.ts';
import { MatchWatch } from './match-watch.ts';
import { OperatorCommands } from './operator-commands.ts';
import { permittedCapacities } from '../../domain/permitted-capacity.ts';
import { RecordingStart } from './recording-start.ts';
import type { FlowRecord, RecordListener } from '../record/record.ts';
import { recordTee } from '../record/record-tee.ts';
import type { RecordedHistory } from '../record/recorded-history.ts';
import { RowsOfLog } from './rows-of-log.ts';
import { ServerEntries } from './server-entries.ts';

export interface EventFlowOptions {
  readonly eventId: string;
  readonly sectors: readonly Sector[];
  /** An IANA name, for events without one. */
  readonly timeZone: string;
  readonly record: FlowRecord;
  /** The source of minutes and entries. */
  readonly source: Source;
  /** The version of this server, for the log. */
  readonly version: string;
  readonly clock: FlowClock;
  readonly freshness: () => Freshness;
  /** Readings of gates over HTTP that are not in the count. */
  readonly readings?: (() => readonly ReadingCount[] | undefined) | undefined;
  /** Whether another server counts another primary of the same database. */
  readonly isSplit?: (() => boolean) | undefined;
  readonly onIncomplete: IncompleteListener;
  readonly log: Logger;
}

/** Gates may open earlier than stated. What came before that, as in a trial the evening before, is no rate of the match. */
const EARLY_MS = 60 * MINUTE_MS;

/**
 * The flow of one event: changes from the source become minutes, and minutes and log are recorded as soon as this process is
 * the record's leader. An unavailable record never delays the counts.
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
      record.yieldLeadership();
    },
  });
  readonly listener: SourceListener = {
    snapshot: this.#guard.wrap((snapshot) => {
      this.#documents = snapshot.sectors.get(this.#options.eventId) ?? [];
      this.#projection.snapshot(snapshot);
      this.#timeline = shortTimelineAt(snapshot.position);
      this.#hasCounts = true;
      this.#watch.snapshot();
      if (this.#projection.hasTickets) this.#start.begin(-Infinity);
      this.#noteAll();
    }),
    change: this.#guard.wrap((change, madeAtMs) => this.#projection.change(change, madeAtMs)),
    truncate: this.#guard.wrap((madeAtMs) => this.#projection.truncate(madeAtMs)),
    restored: this.#guard.wrap((eventId) => {
      this.#projection.restored(eventId);
      // The restored log may know other times than were read before.
      if (eventId === undefined || eventId === this.#options.eventId) this.#areDetailsRead = false;
    }),
    commit: this.#guard.wrap(() => {
      this.#projection.commit();
      if (!this.#start.hasBegun && this.#projection.hasTickets) this.#start.begin(this.nowMs);
    }),
    caughtUpTo: this.#guard.wrap((instant) => this.#projection.caughtUpTo(instant)),
    clockSet: this.#guard.wrap((byMs, now) => {
      this.#projection.clockSet(byMs, now);
      this.#options.log.warn(
        { byMs: Math.round(byMs) },
        "the database's clock was set: the minutes it went over are a gap",
      );
      this.#entries.clockSet(byMs);
    }),
    sectorDocuments: this.#guard.wrap((eventId, documents) => {
      if (eventId !== this.#options.eventId) return;
      this.#documents = documents;
      this.#noteCapacities();
    }),
    metadata: this.#guard.wrap((eventId, metadata) => {
      if (eventId !== this.#options.eventId) return;
      this.#details = metadata;
      this.#areDetailsRead = true;
      this.#noteTimes();
    }),
    stale: this.#guard.wrap((reason, sinceMs) => this.#projection.stale(reason, sinceMs)),
    // `freshness` covers it.
    live: () => {},
  };
  readonly #log: EventLog;
  readonly #rowsOfLog: RowsOfLog;
  readonly #entries: ServerEntries;
  readonly #watch: MatchWatch;
  #details: EventDetails | undefined;
  #timeline: string | undefined;
  #areDetailsRead = false;
  #follower: (RecordListener & WaitingListener) | undefined;
  /** An entry needs counts for its figures. */
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
      onLateBatch: (lot) => this.#entries.lateBatch(lot),
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
    this.#rowsOfLog = new RowsOfLog(sectors);
    const { codes: codesOfRows } = this.#rowsOfLog;
    this.#entries = new ServerEntries({ ...context, log: this.#log, version, codes: codesOfRows, canNote });
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
      isSplit: options.isSplit ?? (() => false),
    });
  }

  /** Starts the record and the alarms. `follower` gets the record's events after this flow has handled them. */
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

  setHistory(history: RecordedHistory): void {
    this.#watch.setHistory(history);
  }

  // For the webhook.

  get details(): EventDetails | undefined {
    return this.#details;
  }

  /** Returns the entry of the log with this id, recorded or waiting to be. */
  find(id: string): LogEntry | undefined {
    return this.#log.find(id);
  }

  /** Whether this process is the record's last known leader. */
  get isLastLeader(): boolean {
    return this.#watch.isLeader;
  }

  notified(id: string, status: number): void {
    this.#entries.notified(id, status);
  }

  // For the record.

  readonly #recordListener: RecordListener = {
    loaded: ({ minutes, log: logged, lost, areOfOneCommit }) => {
      // What is lost was in the log before, by its last start; a start among it is not the last one of this log.
      const lostBefore = this.#rowsOfLog.place(lost ?? []);
      this.#rowsOfLog.begin();
      const log = this.#rowsOfLog.place(logged);
      this.#log.load(log, lostBefore);
      if (log.length > 0) this.#start.begin(-Infinity);
      if (areOfOneCommit || this.#entries.hasOtherRows(log)) this.#series.cutBeforeFirst();
      this.#watch.logRead();
      this.#lastMinuteMs = minutes.at(-1)?.minuteMs ?? this.#lastMinuteMs;
      this.#take(this.#series.restore(minutes, this.#start.sinceMs));
    },
    rows: (log, minutes) => {
      this.#log.add(this.#rowsOfLog.place(log));
      if (log.length > 0) this.#start.begin(this.nowMs);
      if (minutes.length > 0) this.#take(this.#series.restore(minutes, this.#start.sinceMs));
    },
    leader: () => {
      const { record } = this.#options;
      this.#watch.leader();
      record.writeMinutes(this.#start.recordable(this.#series.minutes(0, Number.POSITIVE_INFINITY)));
      if (!this.#start.hasBegun) return;
      this.#noteAll();
      // Minutes of another process may be ahead of the last boundary here.
      this.#entries.gaps(this.#series.lastBoundaryMs ?? 0);
      this.#entries.clockSteps();
    },
    returned: (primary) => this.#entries.returned(primary),
  };

  /** Takes minutes that have been confirmed. */
  #take(minutes: readonly Minute[]): void {
    const newest = minutes.at(-1);
    if (!newest) return;
    this.#lastMinuteMs = Math.max(this.#lastMinuteMs ?? newest.minuteMs, newest.minuteMs);
    const { record } = this.#options;
    record.writeMinutes(this.#start.recordable(minutes));
    this.desk.publish(minutes);
    if (!this.#start.hasBegun) return;
    // Another process may have observed the gap: it gets to write first.
    if (record.state.kind !== 'writer' || !this.#entries.hasNewGap(newest.minuteMs)) return;
    if (!record.yieldLeadership()) this.#entries.gaps(newest.minuteMs);
  }

  #noteAll(): void {
    this.#entries.started();
    this.#noteTimes();
    this.#noteCapacities();
  }

  /** Unread metadata is not the same as none. */
  #noteTimes(): void {
    if (!this.#areDetailsRead) return;
    this.#series.countBestFrom((this.#details?.gatesOpenAtMs ?? -Infinity) - EARLY_MS);
    this.#entries.times(this.#details);
  }

  /** Whether a fault of its own has stopped the flow. */
  get hasStopped(): boolean {
    return this.#guard.stoppedAtMs !== undefined;
  }

  /** As old as it is by the flow's clock, with which all other times of the desk are compared. */
  get #freshness(): Freshness {
    const stoppedAtMs = this.#guard.stoppedAtMs;
    const freshness: Freshness =
      stoppedAtMs === undefined
        ? this.#options.freshness()
        : { live: false, verifiedAtMs: stoppedAtMs, reason: 'lag' };
    if (freshness.live) return freshness;
    return {
      ...freshness,
      verifiedAtMs: performance.now() - this.#projection.elapsedMsSince(freshness.verifiedAtMs),
    };
  }

  #noteCapacities(): void {
    this.#entries.capacities(this.#capacities);
  }

  get #capacities(): readonly (number | null)[] {
    return permittedCapacities(this.#options.sectors, this.#documents);
  }

  /** The time of the flow's clock, in milliseconds since 1970. */
  get nowMs(): number {
    return this.#projection.nowMs;
  }
}
