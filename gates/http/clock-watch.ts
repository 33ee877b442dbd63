import type postgres from 'postgres';
import { quoteValue } from '../cli/errors.ts';
import { CLOCK_TOLERANCE_MS } from './limits.ts';

/** A gate is named for so long after its last time ahead of ours; late times name it where none was prompt for so long. */
const DOUBT_MS = 60_000;
/** A gate that has been silent for so long is named no more: its clock may have been set, or it is switched off. */
const SILENT_MS = 10 * 60_000;
const MAX_GATES = 500;
const MAX_NAMED = 3;

/** What is known of a gate's messages, by when they arrived. */
interface Gate {
  readonly lastAtMs: number;
  readonly rightAtMs?: number;
  /** The last time that differs; `ageMs` is negative where it was ahead. */
  readonly wrong?: { readonly ageMs: number; readonly atMs: number };
}

/**
 * Compares this machine's clock with the database's, and with the times that gates send. It cannot know which of them is
 * wrong.
 */
export class ClockWatch {
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  #databaseAheadMs: number | undefined;
  #databaseDiffers = false;
  /** The gate that has been silent for the longest time comes first. */
  readonly #gates = new Map<string, Gate>();
  /** The gates that were reported as differing, and '' for the database. */
  #reported: ReadonlySet<string> = new Set();

  /** `now`: a monotonic clock. */
  constructor(log: (line: string) => void, now = (): number => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  noteDatabase(aheadMs: number, uncertainMs: number): void {
    this.#databaseAheadMs = aheadMs;
    this.#databaseDiffers = Math.abs(aheadMs) - uncertainMs > CLOCK_TOLERANCE_MS;
  }

  noteSent(messages: Iterable<{ readonly gate: string; readonly ageMs: number }>): void {
    const nowMs = this.#now();
    for (const { gate, ageMs } of messages) {
      const before = this.#gates.get(gate);
      this.#gates.delete(gate);
      this.#gates.set(gate, afterMessage(before, ageMs, nowMs));
    }
    for (const gate of [...this.#gates.keys()].slice(0, -MAX_GATES)) this.#gates.delete(gate);
  }

  /** Undefined until `noteDatabase`. */
  get databaseAheadMs(): number | undefined {
    return this.#databaseAheadMs;
  }

  /** Counts the gates that `warning` names, or would. */
  get differingGates(): number {
    return this.#differing().length;
  }

  /** Names the clocks that differ, and by how much; undefined where none does. */
  get warning(): string | undefined {
    const parts = [this.#databaseWarning(), this.#gatesWarning()].filter(Boolean);
    if (parts.length === 0) return undefined;
    const isDoubtful = this.#differing().some(([, { ageMs }]) => ageMs > 0);
    return `${parts.join('. ')}. Set the clock that is wrong${isDoubtful ? ', unless messages were only late' : ''}`;
  }

  /** Logs when another clock begins to differ, and when none does any more. */
  logChanges(): void {
    const { warning } = this;
    const differing = new Set(this.#differing().map(([gate]) => gate));
    if (this.#databaseDiffers) differing.add('');
    const isNews = [...differing].some((gate) => !this.#reported.has(gate));
    const isOver = differing.size === 0 && this.#reported.size > 0;
    this.#reported = differing;
    if (isNews && warning !== undefined) this.#log(warning);
    else if (isOver) this.#log('No clock is known to differ any more.');
  }

  #databaseWarning(): string | undefined {
    if (!this.#databaseDiffers || this.#databaseAheadMs === undefined) return undefined;
    return `The clock of the database is ${describeAhead(this.#databaseAheadMs)} this machine's`;
  }

  #gatesWarning(): string | undefined {
    const differing = this.#differing();
    if (differing.length === 0) return undefined;
    const nowMs = this.#now();
    const named = differing.slice(0, MAX_NAMED).map(([gate, { ageMs, atMs }]) => {
      const late = ageMs > 0 ? ', or sent late' : '';
      const ago = `${Math.round((nowMs - atMs) / 1_000)} s ago`;
      return `${quoteValue(gate)} sent times ${describeAhead(-ageMs)} this machine's clock${late} (last ${ago})`;
    });
    const more =
      differing.length > MAX_NAMED ? `, and ${differing.length - MAX_NAMED} more gates differ` : '';
    return `The gate ${named.join(', ')}${more}`;
  }

  /** Returns the gates that differ by more than the tolerance, the largest difference first. */
  #differing(): [gate: string, wrong: NonNullable<Gate['wrong']>][] {
    const nowMs = this.#now();
    const differing: [string, NonNullable<Gate['wrong']>][] = [];
    for (const [gate, { lastAtMs, rightAtMs = -Infinity, wrong }] of this.#gates) {
      if (wrong === undefined || nowMs - lastAtMs > SILENT_MS) continue;
      const isOver = rightAtMs >= wrong.atMs && (wrong.ageMs > 0 || nowMs - wrong.atMs > DOUBT_MS);
      if (!isOver) differing.push([gate, wrong]);
    }
    return differing.toSorted(([, one], [, other]) => Math.abs(other.ageMs) - Math.abs(one.ageMs));
  }
}

/** A gate whose connection failed sends right times late: its clock is behind only where no message was prompt. */
function afterMessage(before: Gate | undefined, ageMs: number, nowMs: number): Gate {
  const gate = { ...before, lastAtMs: nowMs };
  if (Math.abs(ageMs) <= CLOCK_TOLERANCE_MS) return { ...gate, rightAtMs: nowMs };
  const { rightAtMs = -Infinity, wrong } = gate;
  const promptAtMs = wrong !== undefined && wrong.ageMs < 0 ? Math.max(rightAtMs, wrong.atMs) : rightAtMs;
  return ageMs > 0 && nowMs - promptAtMs <= DOUBT_MS ? gate : { ...gate, wrong: { ageMs, atMs: nowMs } };
}

export async function readClock(sql: postgres.Sql, clocks: ClockWatch): Promise<void> {
  const askedAtMs = Date.now();
  const beganAtMs = performance.now();
  const [row] = await sql<[{ ms: string }]>`
    select (extract(epoch from clock_timestamp()) * 1000)::text as ms`;
  const halfMs = (performance.now() - beganAtMs) / 2;
  clocks.noteDatabase(Number(row.ms) - (askedAtMs + halfMs), halfMs);
}

/** '3.0 h ahead of', '2.4 s behind'. */
function describeAhead(ms: number): string {
  const s = Math.abs(ms) / 1_000;
  const [value, unit] = s < 60 ? [s, 's'] : s < 3_600 ? [s / 60, 'min'] : [s / 3_600, 'h'];
  return `${value.toFixed(1)} ${unit} ${ms > 0 ? 'ahead of' : 'behind'}`;
}
