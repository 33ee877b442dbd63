import { createHash } from 'node:crypto';
import type { EventDetails } from '../../domain/event-details.ts';
import type { CodesOfRows } from '../model/former-rows.ts';
import { findGaps } from '../model/series/gaps.ts';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import type { LateBatch } from '../model/series/late-batches.ts';
import type { ReturnedPrimary } from '../../domain/returned-primary.ts';
import { type EntryContent, type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';

export interface ServerEntriesOptions extends EntryContext {
  readonly log: EventLog;
  readonly version: string;
  readonly codes: CodesOfRows;
  /** Whether this process is the record's leader, and the tickets are counted. */
  readonly canNote: () => boolean;
}

interface ClockStep {
  readonly byMs: number;
  readonly entry: LogEntry;
}

/** Two reports within these limits, of time and of size, are of one step of the clock: a process that was cut off sees it late. */
const SAME_STEP_WITHIN_MS = 15 * 60_000;
const SAME_STEP_BY_MS = 2_000;

/** The entries that this process adds by itself. Ids derive from contents, so that a repeated write changes nothing. */
export class ServerEntries {
  readonly #options: ServerEntriesOptions;
  readonly #startedId = `started:${Date.now()}`;
  readonly #rows: string;
  readonly #clockSteps: ClockStep[] = [];

  constructor(options: ServerEntriesOptions) {
    this.#options = options;
    const rows = Object.entries(options.codes).map(([code, codes]) => [code, codes.toSorted()] as const);
    this.#rows = digestOf(JSON.stringify(rows.toSorted(([one], [other]) => (one < other ? -1 : 1))));
  }

  started(): void {
    const { version, codes, canNote } = this.#options;
    if (!canNote()) return;
    const data = { version, rows: this.#rows, codes };
    this.#note(this.#startedId, { kind: 'started', sector: null, data });
  }

  /** Whether the server that started before counted other codes in the venue's rows. */
  hasOtherRows(log: readonly LogRow[]): boolean {
    const started = log.filter((row) => row.kind === 'started');
    const before = started.findLast(({ id }) => id !== this.#startedId)?.data.rows;
    return before !== undefined && before !== this.#rows;
  }

  /** An operator has returned to the former primary whose record holds this log. */
  returned({ rank, by, atMs }: ReturnedPrimary): void {
    if (!this.#options.canNote()) return;
    const id = `returned:${rank}:${atMs}`;
    const content = { kind: 'returned', sector: null, data: { atMs } } as const;
    this.#options.log.note(id, () => makeEntry(this.#options, id, content, { by }));
  }

  /** Notes the event's times where they differ from the last ones in the log. */
  times(details: EventDetails | undefined): void {
    const { log, canNote } = this.#options;
    if (!canNote()) return;
    const { gatesOpenAtMs = null, kickOffAtMs = null } = details ?? {};
    const noted = log.newest('times')?.data ?? { gatesOpenAtMs: null, kickOffAtMs: null };
    if (noted.gatesOpenAtMs === gatesOpenAtMs && noted.kickOffAtMs === kickOffAtMs) return;
    const id = `times:${log.last('times')?.seq ?? 0}:${gatesOpenAtMs ?? ''}:${kickOffAtMs ?? ''}`;
    this.#note(id, { kind: 'times', sector: null, data: { gatesOpenAtMs, kickOffAtMs } });
  }

  /** Notes permitted capacities, by sector, where they differ from the last ones in the log. */
  capacities(capacities: readonly (number | null)[]): void {
    const { log, canNote, sectors } = this.#options;
    if (!canNote()) return;
    const { permitted: noted } = log.state;
    if (sectors.every((code, place) => (noted[code] ?? null) === capacities[place])) return;
    const permitted = Object.fromEntries(
      sectors.flatMap((code, place) => {
        const count = capacities[place] ?? null;
        return count === null ? [] : [[code, count] as const];
      }),
    );
    const digest = digestOf(JSON.stringify(permitted));
    const id = `capacities:${log.last('capacities')?.seq ?? 0}:${digest}`;
    this.#note(id, { kind: 'capacities', sector: null, data: { permitted } });
  }

  /** Notes gaps before this minute. After a clock was set back, later minutes may still be confirmed. */
  gaps(untilMs: number): void {
    const { series } = this.#options;
    for (const { fromMs, toMs } of findGaps(series.confirmedMs(0, untilMs + 1)))
      this.#note(`gap:${fromMs}`, { kind: 'gap', sector: null, data: { fromMs, toMs } });
  }

  /** Whether the log lacks one of these gaps. */
  hasNewGap(untilMs: number): boolean {
    const { series, log } = this.#options;
    return findGaps(series.confirmedMs(0, untilMs + 1)).some(({ fromMs }) => !log.find(`gap:${fromMs}`));
  }

  lateBatch({ sector, atMs, count }: LateBatch): void {
    const code = this.#options.sectors[sector] ?? '';
    this.#note(`lot:${code}:${Math.round(atMs)}`, { kind: 'lot', sector: code, data: { count } });
  }

  /** The database's clock was set. Every process sees that at its own time; the leader notes it. */
  clockSet(byMs: number): void {
    const id = `clock:${Math.round(this.#options.nowMs())}`;
    const content = { kind: 'clock', sector: null, data: { byMs: Math.round(byMs) } } as const;
    this.#clockSteps.push({ byMs, entry: makeEntry(this.#options, id, content) });
    this.clockSteps();
  }

  /** Notes the steps of the clock that no other process has noted. */
  clockSteps(): void {
    const { log, canNote } = this.#options;
    if (!canNote()) return;
    for (const { byMs, entry } of this.#clockSteps.splice(0)) {
      const isNoted = log
        .of('clock')
        .some(
          (row) =>
            Math.abs(row.atMs - entry.atMs) < SAME_STEP_WITHIN_MS &&
            Math.abs(row.data.byMs - byMs) < SAME_STEP_BY_MS,
        );
      if (!isNoted) log.note(entry.id, () => entry);
    }
  }

  /** The receiver of alarms has answered the message about this entry with this status. */
  notified(id: string, status: number): void {
    this.#note(`notified:${digestOf(id)}`, { kind: 'notified', sector: null, data: { id, status } });
  }

  #note(id: string, content: EntryContent): void {
    this.#options.log.note(id, () => makeEntry(this.#options, id, content));
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
