import type postgres from 'postgres';
import { quoteValue } from '../cli/errors.ts';
import { CLOCK_TOLERANCE_MS } from './limits.ts';

const WINDOW_MS = 60_000;
/** A gate that has been silent for so long is named no more: its clock may have been set, or it is switched off. */
const SILENT_MS = 10 * 60_000;
const MAX_GATES = 500;
const MAX_NAMED = 3;

interface Received {
  /** The age of the gate's freshest message on arrival; negative where its time was ahead. */
  readonly ageMs: number;
  /** When its last message came. */
  readonly atMs: number;
}

type ReceivedByGate = Map<string, Received>;

/**
 * Compares this machine's clock with the database's, and with the times that gates send. It cannot know which of them is
 * wrong.
 */
export class ClockWatch {
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  #databaseAheadMs: number | undefined;
  #databaseDiffers = false;
  #windowEndsMs = 0;
  /** It is of the last window in which each gate sent; the gate that was silent for the longest time comes first. */
  readonly #before: ReceivedByGate = new Map();
  #current: ReceivedByGate = new Map();
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
    this.#turn();
    const atMs = this.#now();
    for (const { gate, ageMs } of messages) {
      if (this.#current.has(gate) || this.#current.size < MAX_GATES)
        addTo(this.#current, gate, { ageMs, atMs });
    }
  }

  /** Undefined until `noteDatabase`. */
  get databaseAheadMs(): number | undefined {
    return this.#databaseAheadMs;
  }

  /** Counts the gates whose clocks differ, by the last minute in which each sent, for ten minutes after it. */
  get differingGates(): number {
    return this.#differing().length;
  }

  /** Names the clocks that differ, and by how much; undefined where none does. */
  get warning(): string | undefined {
    const parts = [this.#databaseWarning(), this.#gatesWarning()].filter(Boolean);
    return parts.length === 0 ? undefined : `${parts.join('. ')}. Set the clock that is wrong`;
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
    const named = differing
      .slice(0, MAX_NAMED)
      .map(
        ([gate, ageMs]) =>
          `${quoteValue(gate)} sends times ${describeAhead(-ageMs)} this machine's clock${ageMs > 0 ? ', or sends late' : ''}`,
      );
    const more =
      differing.length > MAX_NAMED ? `, and ${differing.length - MAX_NAMED} more gates differ` : '';
    return `The gate ${named.join(', ')}${more}`;
  }

  /** Returns the gates that differ by more than the tolerance, the largest difference first. */
  #differing(): [gate: string, ageMs: number][] {
    this.#turn();
    const all = new Map(this.#before);
    for (const [gate, received] of this.#current) addTo(all, gate, received);
    return [...all]
      .map(([gate, { ageMs }]): [string, number] => [gate, ageMs])
      .filter(([, ageMs]) => Math.abs(ageMs) > CLOCK_TOLERANCE_MS)
      .toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  }

  #turn(): void {
    const now = this.#now();
    if (now < this.#windowEndsMs) return;
    for (const [gate, received] of this.#current) {
      this.#before.delete(gate);
      this.#before.set(gate, received);
    }
    for (const [gate, { atMs }] of this.#before) if (now - atMs > SILENT_MS) this.#before.delete(gate);
    for (const gate of [...this.#before.keys()].slice(0, -MAX_GATES)) this.#before.delete(gate);
    this.#current = new Map();
    this.#windowEndsMs = now + WINDOW_MS;
  }
}

export async function readClock(sql: postgres.Sql, clocks: ClockWatch): Promise<void> {
  const askedAtMs = Date.now();
  const beganAtMs = performance.now();
  const [row] = await sql<[{ ms: number }]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  const halfMs = (performance.now() - beganAtMs) / 2;
  clocks.noteDatabase(row.ms - (askedAtMs + halfMs), halfMs);
}

function addTo(all: ReceivedByGate, gate: string, { ageMs, atMs }: Received): void {
  all.set(gate, { ageMs: Math.min(ageMs, all.get(gate)?.ageMs ?? ageMs), atMs });
}

/** '3.0 h ahead of', '2.4 s behind'. */
function describeAhead(ms: number): string {
  const s = Math.abs(ms) / 1_000;
  const [value, unit] = s < 60 ? [s, 's'] : s < 3_600 ? [s / 60, 'min'] : [s / 3_600, 'h'];
  return `${value.toFixed(1)} ${unit} ${ms > 0 ? 'ahead of' : 'behind'}`;
}
