import { alarmEntries } from '../../desk/model/alarms/alarm-entries.ts';
import { evaluateAlarms } from '../../desk/model/alarms/evaluate.ts';
import type { AlarmEvaluation } from '../../desk/model/alarms/evaluation.ts';
import type { DeskCommand } from '../../desk/model/log/desk-command.ts';
import type { DeskState } from '../../desk/model/desk-state.ts';
import type { LogEntry, LogRow } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import type { EarlierMatch } from '../../desk/model/forecast/earlier-match.ts';
import { EarlierMatches } from '../../desk/model/forecast/earlier-matches.ts';
import { makeForecast } from '../../desk/model/forecast/make-forecast.ts';
import type { UsualCurve } from '../../desk/model/forecast/usual-curve.ts';
import { type LogState, readLogState } from '../../desk/model/log/log-state.ts';
import { type Minute, MINUTE_MS } from '../../desk/model/series/minute.ts';
import type { SectorDocument } from '../../domain/event-state.ts';
import { DEFAULT_VENUE, type Sector } from '../../domain/venue.ts';
import { type GeneratedMatch, generateMatch } from '../../gates/simulator/generated/generated-match.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import { parseIncident } from '../../gates/simulator/incidents.ts';
import { checkCommand, contentOf } from '../../desk/flow/check-command.ts';
import { describeDesk } from '../../desk/flow/describe-desk.ts';
import { describeRecorded } from '../../desk/flow/describe-recorded.ts';
import { type EntryContent, makeEntry } from '../../desk/flow/entry-maker.ts';
import { groundCapacity, permittedCapacities } from '../../domain/permitted-capacity.ts';
import type { DeskView } from '../../desk/page/desk-view.ts';
import { type AdmittedAt, crowd, earlierMatch } from './recorded-match.ts';
import { serverEntry } from '../server/server-entry.ts';

/** 19:00 in São Paulo. */
export const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);

const EVENT_ID = 'e'.repeat(32);
const TIME_ZONE = 'America/Sao_Paulo';
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
/** The seats of the default venue are no permitted capacity. */
const DEFAULT_SECTORS: readonly Sector[] = DEFAULT_VENUE.sectors.map(({ code, codes, name, stand }) => ({
  code,
  codes,
  name,
  stand,
}));
/** The rules are applied from this long before now, since they look back. */
const RULES_APPLIED_MS = 45 * MINUTE_MS;

export interface StandInDeskOptions {
  /** The same seed gives the same match. */
  readonly seed?: number;
  /** The flow's clock stands still at this distance from kick-off. A negative number is a time after kick-off. */
  readonly minutesToKickOff?: number;
  /** Whether the event has an opening of the gates and a kick-off. */
  readonly hasTimes?: boolean;
  readonly earlierMatches?: number;
  readonly sectors?: readonly Sector[];
  /** Valid tickets in each sector. */
  readonly tickets?: number;
  /** Unobserved minutes to kick-off: the first, and the one after the last. */
  readonly unwatchedMin?: readonly [fromMin: number, toMin: number];
  /** What goes wrong, in the grammar of the gates tool: `stop:7@-40+30`. With incidents the alarm rules are applied along the match. */
  readonly incidents?: readonly string[];
  /** The count outside all sectors. */
  readonly elsewhere?: number;
}

/**
 * A stand-in for the server's desk: a generated match in memory, with the server's own pure functions, and a clock that
 * stands still. It needs neither a database nor Node, so that the gallery runs it in the browser.
 */
export class StandInDesk {
  readonly sectors: readonly Sector[];
  /** The log so far. */
  readonly rows: LogRow[] = [];
  readonly nowMs: number;
  status: DeskView['status'] = { kind: 'live' };
  record: DeskState['record'] = { state: { kind: 'writer' }, isKept: true, minutesWaiting: 0 };
  isUnread = false;
  readings: DeskState['readings'];
  isSplit: DeskState['isSplit'];
  readonly #series: FlowSeries;
  readonly #codes: readonly string[];
  readonly #earlier: EarlierMatches;
  readonly #minutes: readonly Minute[];
  #documents: readonly SectorDocument[] = [];
  #state: LogState = readLogState([]);
  #evaluation: AlarmEvaluation | undefined;

  constructor(options: StandInDeskOptions = {}) {
    const { seed = 1, minutesToKickOff = 24, hasTimes = true, earlierMatches = 0, incidents = [] } = options;
    const { sectors = DEFAULT_SECTORS, tickets = 400 } = options;
    this.sectors = sectors;
    this.#codes = [...sectors.map(({ code }) => code), ''];
    this.nowMs = KICK_OFF_MS - minutesToKickOff * MINUTE_MS;
    this.#earlier = new EarlierMatches({
      eventId: EVENT_ID,
      matches: Array.from({ length: earlierMatches }, (_, n) => earlierMatchOf(this.#codes, tickets, n)),
      codes: this.#codes,
      isSimulated: false,
    });
    this.#series = new FlowSeries({
      sectorCount: this.#codes.length,
      onLateBatch: ({ sector, atMs, count }) => {
        const code = this.#codes[sector] ?? '';
        this.#append(`lot:${code}:${atMs}`, { kind: 'lot', sector: code, data: { count } }, { atMs });
      },
    });
    const match = generateMatch({
      seed,
      sectors: sectors.map(({ code }) => ({ code, valid: tickets })),
      incidents: incidents.map(parseIncident),
    });
    if (hasTimes) this.#open(match);
    this.#play(match, options);
    const { elsewhere = 0 } = options;
    const others = { sector: sectors.length, admitted: elsewhere, entered: elsewhere };
    this.#series.commit(this.nowMs, [{ ...others, reverted: 0, moved: 0, valid: 0 }]);
    this.#minutes = this.#series.minutes(0, Infinity);
    this.#applyRules(this.nowMs);
  }

  view(): DeskView {
    const { status, nowMs } = this;
    const isLive = status.kind === 'live';
    return {
      state: describeDesk({
        eventId: EVENT_ID,
        nowMs,
        timeZone: TIME_ZONE,
        source:
          status.kind === 'no-source' ? { live: false, ageMs: status.ageMs, reason: 'lag' } : { live: true },
        series: this.#series,
        sectors: this.sectors,
        capacities: this.#capacities,
        log: this.#state,
        lastSeq: this.rows.length,
        evaluation: this.#evaluation,
        forecast: this.#forecastAt({ nowMs, isLive, series: this.#series, log: this.#state }),
        trackRecord: [],
        lastMinuteMs: this.#minutes.at(-1)?.minuteMs,
        record: this.record,
        isUnread: this.isUnread,
        readings: this.readings,
        isSplit: this.isSplit,
      }),
      minutes: this.#minutes,
      log: [...this.rows],
      sectors: this.sectors,
      status,
      replay: null,
    };
  }

  /** Implements `Desk.stateAt`. */
  stateAt(endMs: number): DeskState | undefined {
    return describeRecorded(
      {
        eventId: EVENT_ID,
        rows: this.sectors,
        sectors: this.#codes,
        timeZone: TIME_ZONE,
        series: this.#series,
        log: { after: () => this.rows },
        record: this.record,
        watch: { forecastAt: (moment) => this.#forecastAt(moment), trackRecord: [] },
      },
      endMs,
    );
  }

  /** `sector` is a code; the default is the whole ground. */
  usualCurve(sector: string | null): UsualCurve | null {
    const { total, sectors } = this.#earlier;
    return (sector === null ? total : sectors[this.#codes.indexOf(sector)])?.usualCurve() ?? null;
  }

  /** Implements `Desk.command`. @throws CommandRefused */
  command(command: DeskCommand, by: string): LogRow {
    const there = this.#find(command.id);
    if (there) return there;
    checkCommand(command, { state: this.#state, find: (id) => this.#find(id), takeBacks: [] }, this.nowMs);
    const row = this.#append(command.id, contentOf(command), { by });
    this.#applyRules(this.nowMs);
    return row;
  }

  /** Permits in a sector what `readCapacity` makes of how many are in. */
  permit(sector: string, readCapacity: (admitted: number) => number): void {
    const admitted = this.#series.totals[this.#codes.indexOf(sector)]?.admitted ?? 0;
    const others = this.#documents.filter(({ code }) => code !== sector);
    this.#documents = [...others, { code: sector, data: { capacity: readCapacity(admitted) } }];
    const permitted = Object.fromEntries(
      this.#codes.flatMap((code, place) => {
        const capacity = this.#capacities[place] ?? null;
        return capacity === null ? [] : [[code, capacity]];
      }),
    );
    this.#append(`capacities:${this.rows.length}`, { kind: 'capacities', sector: null, data: { permitted } });
    this.#applyRules(this.nowMs);
  }

  get #capacities(): readonly (number | null)[] {
    return permittedCapacities(this.sectors, this.#documents);
  }

  /** The log begins with the server's start and the event's times. */
  #open({ gatesOpenMs }: GeneratedMatch): void {
    const atMs = KICK_OFF_MS + gatesOpenMs - 10 * MINUTE_MS;
    const times = { gatesOpenAtMs: KICK_OFF_MS + gatesOpenMs, kickOffAtMs: KICK_OFF_MS };
    for (const entry of [
      serverEntry('started', 'started', { version: '1' }, atMs),
      serverEntry('times', 'times', times, atMs),
    ])
      this.#note(entry);
  }

  #play(match: GeneratedMatch, { unwatchedMin, incidents = [] }: StandInDeskOptions): void {
    const rulesFromMs = incidents.length > 0 ? this.nowMs - RULES_APPLIED_MS : Infinity;
    playMatch(match, this.#series, {
      kickOffMs: KICK_OFF_MS,
      untilMinute: (this.nowMs - KICK_OFF_MS) / MINUTE_MS,
      ...(unwatchedMin && { fromMinute: unwatchedMin[1] }),
      onBoundary: (atMs) => {
        if (atMs >= rulesFromMs) this.#applyRules(atMs);
      },
    });
    if (!unwatchedMin) return;
    const before = new FlowSeries({ sectorCount: this.#codes.length });
    playMatch(match, before, { kickOffMs: KICK_OFF_MS, untilMinute: unwatchedMin[0] });
    this.#series.restore(before.minutes(0, Infinity));
  }

  #forecastAt(moment: Omit<Parameters<typeof makeForecast>[0], 'codes' | 'earlier'>) {
    return makeForecast({ ...moment, codes: this.#codes, earlier: this.#earlier });
  }

  #applyRules(nowMs: number): void {
    const evaluate = (): AlarmEvaluation =>
      evaluateAlarms({
        series: this.#series,
        codes: this.#codes,
        capacities: this.#capacities,
        groundCapacity: groundCapacity(this.#capacities),
        log: this.#state,
        staleForMs: null,
        nowMs,
      });
    const evaluation = evaluate();
    const entries = alarmEntries(evaluation, this.#state, nowMs);
    for (const { id, ...content } of entries) this.#append(id, content, { atMs: nowMs });
    this.#evaluation = entries.length > 0 ? evaluate() : evaluation;
  }

  #append(id: string, content: EntryContent, moment: { by?: string; atMs?: number } = {}): LogRow {
    const context = {
      series: this.#series,
      sectors: this.#codes,
      source: 'live',
      nowMs: () => this.nowMs,
    } as const;
    return this.#note(makeEntry(context, id, content, moment));
  }

  #note(entry: LogEntry): LogRow {
    const row: LogRow = { ...entry, seq: this.rows.length + 1, previous: '' };
    this.rows.push(row);
    this.#state = readLogState(this.rows);
    return row;
  }

  #find(id: string): LogRow | undefined {
    return this.rows.find((row) => row.id === id);
  }
}

/** The matches of the weeks before: as many come, some minutes earlier or later. */
function earlierCounts(tickets: number, n: number, place: number): AdmittedAt {
  return crowd(0.88 * tickets - n, -22 + ((n % 5) - 2) * 3 + (place % 3), 13);
}

function earlierMatchOf(codes: readonly string[], tickets: number, n: number): EarlierMatch {
  return earlierMatch({
    eventId: `earlier ${n}`,
    kickOffAtMs: KICK_OFF_MS - (n + 1) * WEEK_MS,
    sectors: codes.map((code, place) =>
      code === ''
        ? { code, valid: 0, admittedAt: () => 0 }
        : { code, valid: tickets, admittedAt: earlierCounts(tickets, n, place) },
    ),
  });
}
