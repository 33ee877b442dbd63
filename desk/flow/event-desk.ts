import { performance } from 'node:perf_hooks';
import type { EventDetails } from '../../domain/event-details.ts';
import type { Freshness, SectorDocument } from '../../domain/event-state.ts';
import type { DeskCommand } from '../model/log/desk-command.ts';
import type { ReadingCount } from '../model/desk-readings.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { LogRow, Source } from '../model/log/flow-log.ts';
import type { FlowSeries } from '../model/series/flow-series.ts';
import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import type { Minute } from '../model/series/minute.ts';
import type { Sector } from '../../domain/venue.ts';
import { sourceState } from '../../domain/live-message.ts';
import { describeDesk } from './describe-desk.ts';
import { describeRecorded } from './describe-recorded.ts';
import type { Desk, RecordedRow } from './desk.ts';
import type { EventLog } from './event-log.ts';
import type { MatchWatch } from './match-watch.ts';
import { permittedCapacities } from '../../domain/permitted-capacity.ts';
import type { OperatorCommands } from './operator-commands.ts';
import type { FlowRecord } from '../record/record.ts';

export interface EventDeskOptions {
  readonly eventId: string;
  readonly rows: readonly Sector[];
  /** The codes of the sectors, '' for the others. */
  readonly sectors: readonly string[];
  readonly source: Source;
  /** An IANA name, for events without one. */
  readonly timeZone: string;
  readonly series: FlowSeries;
  readonly log: EventLog;
  readonly record: FlowRecord;
  readonly watch: MatchWatch;
  readonly commands: OperatorCommands;
  readonly freshness: () => Freshness;
  readonly details: () => EventDetails | undefined;
  readonly documents: () => readonly SectorDocument[];
  readonly lastMinuteMs: () => number | undefined;
  /** The timeline of the counts. */
  readonly timeline: () => string | undefined;
  readonly readings: () => readonly ReadingCount[] | undefined;
  readonly isSplit: () => boolean;
  /** Returns the time of the flow's clock. */
  readonly nowMs: () => number;
}

export class EventDesk implements Desk {
  readonly #options: EventDeskOptions;
  readonly #listeners = new Set<(minute: Minute) => void>();

  constructor(options: EventDeskOptions) {
    this.#options = options;
  }

  get eventId(): string {
    return this.#options.eventId;
  }

  get sectors(): readonly string[] {
    return this.#options.sectors;
  }

  get source(): Source {
    return this.#options.source;
  }

  state(): DeskState {
    const { eventId, rows, timeZone, series, log, record, watch, ...read } = this.#options;
    const state = describeDesk({
      eventId,
      nowMs: read.nowMs(),
      timeZone: read.details()?.timeZone ?? timeZone,
      source: sourceState(read.freshness(), performance.now()),
      series,
      sectors: rows,
      capacities: permittedCapacities(rows, read.documents()),
      log: log.state,
      lastSeq: log.lastSeq,
      evaluation: watch.evaluation,
      forecast: watch.forecast,
      trackRecord: watch.trackRecord,
      lastMinuteMs: read.lastMinuteMs(),
      record,
      isUnread: !watch.isLogRead,
      readings: read.readings(),
      isSplit: read.isSplit(),
    });
    return { ...state, wallMs: Date.now(), timeline: read.timeline() };
  }

  stateAt(endMs: number): DeskState | undefined {
    const { details, timeZone } = this.#options;
    return describeRecorded({ ...this.#options, timeZone: details()?.timeZone ?? timeZone }, endMs);
  }

  minutes(fromMs: number, toMs: number): readonly Minute[] {
    return this.#options.series.minutes(fromMs, toMs);
  }

  usualCurve(sector?: number): UsualCurve | null {
    return this.#options.watch.usualCurve(sector);
  }

  log(afterSeq: number, limit?: number): readonly LogRow[] {
    return this.#options.log.after(afterSeq, limit);
  }

  command(command: DeskCommand, by: string, untilMs?: number): Promise<RecordedRow> {
    return this.#options.commands.execute(command, by, untilMs);
  }

  onMinute(listener: (minute: Minute) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Passes on minutes that have been confirmed. */
  publish(minutes: readonly Minute[]): void {
    for (const minute of minutes) for (const listener of this.#listeners) listener(minute);
  }
}
