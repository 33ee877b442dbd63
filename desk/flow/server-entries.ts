import { createHash } from 'node:crypto';
import type { EventDetails } from '../../domain/event-details.ts';
import { findGaps } from '../model/series/gaps.ts';
import type { LogEntry } from '../model/log/flow-log.ts';
import type { LateBatch } from '../model/series/late-batches.ts';
import type { ReturnedPrimary } from '../../domain/returned-primary.ts';
import { type EntryContent, type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';

export interface ServerEntriesOptions extends EntryContext {
  readonly log: EventLog;
  /** Of this server. */
  readonly version: string;
  /** Whether this process writes the record, and the tickets are counted. */
  readonly canNote: () => boolean;
}

/** What the log says, or is to say, of a step of the clock. */
interface ClockStep {
  readonly byMs: number;
  readonly entry: LogEntry;
}

/** A process that was cut off meanwhile sees it as late. By the clock as it was set. */
const STEP_SEEN_WITHIN_MS = 15 * 60_000;
const STEP_SEEN_ALIKE_MS = 2_000;

/** What this process adds to the log by itself. What an entry says makes its id: written again, it changes nothing. */
export class ServerEntries {
  readonly #options: ServerEntriesOptions;
  readonly #startedAtMs = Date.now();
  readonly #clockSteps: ClockStep[] = [];

  constructor(options: ServerEntriesOptions) {
    this.#options = options;
  }

  started(): void {
    const { version, canNote } = this.#options;
    if (!canNote()) return;
    this.#note(`started:${this.#startedAtMs}`, { kind: 'started', sector: null, data: { version } });
  }

  /** An operator has gone back to a former primary, in whose record this log is. */
  returned({ count, by, atMs }: ReturnedPrimary): void {
    if (!this.#options.canNote()) return;
    const id = `returned:${count}:${atMs}`;
    const content = { kind: 'returned', sector: null, data: { atMs } } as const;
    this.#options.log.note(id, () => makeEntry(this.#options, id, content, { by }));
  }

  /** `details`: of the event, as they were read; told if they are not what the log says last. */
  times(details: EventDetails | undefined): void {
    const { log, canNote } = this.#options;
    if (!canNote()) return;
    const last = log.last('times');
    const { gatesOpenAtMs = null, kickOffAtMs = null } = details ?? {};
    const told = last?.data ?? { gatesOpenAtMs: null, kickOffAtMs: null };
    if (told.gatesOpenAtMs === gatesOpenAtMs && told.kickOffAtMs === kickOffAtMs) return;
    const id = `times:${last?.seq ?? 0}:${gatesOpenAtMs ?? ''}:${kickOffAtMs ?? ''}`;
    this.#note(id, { kind: 'times', sector: null, data: { gatesOpenAtMs, kickOffAtMs } });
  }

  /** Permitted, by the place of the sector; told if they are not what the log says last. */
  capacities(capacities: readonly (number | null)[]): void {
    const { log, canNote, sectors } = this.#options;
    if (!canNote()) return;
    const { permitted: told } = log.state;
    if (sectors.every((code, place) => (told[code] ?? null) === capacities[place])) return;
    const permitted = Object.fromEntries(
      sectors.flatMap((code, place) => {
        const count = capacities[place] ?? null;
        return count === null ? [] : [[code, count] as const];
      }),
    );
    const said = digestOf(JSON.stringify(permitted));
    const id = `capacities:${log.last('capacities')?.seq ?? 0}:${said}`;
    this.#note(id, { kind: 'capacities', sector: null, data: { permitted } });
  }

  /** Of the minutes up to this one. After a clock was set back, those ahead of it may still become known. */
  gaps(untilMs: number): void {
    const { series } = this.#options;
    for (const { fromMs, toMs } of findGaps(series.confirmedMs(0, untilMs + 1)))
      this.#note(`gap:${fromMs}`, { kind: 'gap', sector: null, data: { fromMs, toMs } });
  }

  /** Whether the log does not tell of all of these yet. */
  hasNewGap(untilMs: number): boolean {
    const { series, log } = this.#options;
    return findGaps(series.confirmedMs(0, untilMs + 1)).some(({ fromMs }) => !log.find(`gap:${fromMs}`));
  }

  lateBatch({ sector, atMs, count }: LateBatch): void {
    const code = this.#options.sectors[sector] ?? '';
    this.#note(`lot:${code}:${Math.round(atMs)}`, { kind: 'lot', sector: code, data: { count } });
  }

  /** The database's clock was set. Every process sees that, each in its moment: whoever writes says it. */
  clockSet(byMs: number): void {
    const id = `clock:${Math.round(this.#options.nowMs())}`;
    const content = { kind: 'clock', sector: null, data: { byMs: Math.round(byMs) } } as const;
    this.#clockSteps.push({ byMs, entry: makeEntry(this.#options, id, content) });
    this.clockSteps();
  }

  /** Says of the steps so far what no other process has said. */
  clockSteps(): void {
    const { log, canNote } = this.#options;
    if (!canNote()) return;
    for (const { byMs, entry } of this.#clockSteps.splice(0)) {
      const isSaid = log
        .of('clock')
        .some(
          (said) =>
            Math.abs(said.atMs - entry.atMs) < STEP_SEEN_WITHIN_MS &&
            Math.abs(said.data.byMs - byMs) < STEP_SEEN_ALIKE_MS,
        );
      if (!isSaid) log.note(entry.id, () => entry);
    }
  }

  /** What was sent of the entry with this id has been answered with this status. */
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
