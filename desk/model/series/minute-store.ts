import { hasEntries, KEPT_MS, type Minute, MINUTE_MS, type MinuteOfSector } from './minute.ts';

const SLOTS = KEPT_MS / MINUTE_MS;

/** The flags of a slot's minute. */
const END_OBSERVED = 1;
const CONFIRMED = 2;
const DETAILED = 4;

/** Counts by sector at the end of a minute; `lots` are its late batches so far. */
export interface MinuteEnd {
  readonly admitted: Int32Array;
  readonly valid: Int32Array;
  readonly lots: Int32Array;
}

export interface MinuteFlow {
  readonly net: Int32Array;
  readonly lots: Int32Array;
  /** Undefined where observation was interrupted within the minute. */
  readonly details: { readonly entered: Int32Array; readonly reverted: Int32Array } | undefined;
}

/**
 * The minutes of a day, confirmed or not. `moved` is not kept: it follows from the rest. Once all slots are taken, the
 * minute farthest from the new one is dropped, so that a clock that is wrong for a while does not displace the last hours.
 */
export class MinuteStore {
  readonly #sectorCount: number;
  /** Slot by the beginning of its minute. */
  readonly #slots = new Map<number, number>();
  readonly #flags = new Uint8Array(SLOTS);
  readonly #admitted: Int32Array;
  readonly #valid: Int32Array;
  readonly #net: Int32Array;
  readonly #entered: Int32Array;
  /** These two are empty in most minutes. */
  readonly #reverted: (Int32Array | undefined)[] = [];
  readonly #lots: (Int32Array | undefined)[] = [];

  constructor(sectorCount: number) {
    this.#sectorCount = sectorCount;
    this.#admitted = new Int32Array(SLOTS * sectorCount);
    this.#valid = new Int32Array(SLOTS * sectorCount);
    this.#net = new Int32Array(SLOTS * sectorCount);
    this.#entered = new Int32Array(SLOTS * sectorCount);
  }

  setEnd(minuteMs: number, { admitted, valid, lots }: MinuteEnd): void {
    const slot = this.#claim(minuteMs);
    this.#set(slot, END_OBSERVED);
    this.#admitted.set(admitted, slot * this.#sectorCount);
    this.#valid.set(valid, slot * this.#sectorCount);
    this.#lots[slot] = copyOfAny(lots);
  }

  /** Returns a copy of the observed end of a minute. */
  end(minuteMs: number): MinuteEnd {
    const slot = this.#claim(minuteMs);
    return {
      admitted: this.#row(this.#admitted, slot).slice(),
      valid: this.#row(this.#valid, slot).slice(),
      lots: this.#lots[slot]?.slice() ?? new Int32Array(this.#sectorCount),
    };
  }

  /** Returns the admitted counts at the observed end of a minute, by sector. The caller must not keep the array. */
  admittedAtEnd(minuteMs: number): Int32Array | undefined {
    const slot = this.#slotWith(END_OBSERVED, minuteMs);
    return slot === undefined ? undefined : this.#row(this.#admitted, slot);
  }

  /** Returns the admitted count at the beginning of a confirmed minute. */
  admittedAtBegin(minuteMs: number, sector: number): number | undefined {
    const slot = this.#slotWith(CONFIRMED, minuteMs);
    if (slot === undefined) return undefined;
    const cell = slot * this.#sectorCount + sector;
    return (this.#admitted[cell] ?? 0) - (this.#net[cell] ?? 0);
  }

  /** Confirms a minute whose end is set. */
  confirm(minuteMs: number, { net, lots, details }: MinuteFlow): void {
    const slot = this.#claim(minuteMs);
    this.#flags[slot] = (this.#flags[slot] ?? 0) & ~DETAILED;
    this.#set(slot, details ? CONFIRMED | DETAILED : CONFIRMED);
    this.#net.set(net, slot * this.#sectorCount);
    this.#lots[slot] = copyOfAny(lots);
    if (!details) return;
    this.#entered.set(details.entered, slot * this.#sectorCount);
    this.#reverted[slot] = copyOfAny(details.reverted);
  }

  /** Takes a minute from the record, in place of the one here. */
  restore({ minuteMs, sectors }: Minute): void {
    if (sectors.length !== this.#sectorCount) {
      throw new RangeError(`a minute of ${sectors.length} sectors, not of ${this.#sectorCount}`);
    }
    const column = (read: (row: MinuteOfSector) => number | null) =>
      Int32Array.from(sectors, (row) => read(row) ?? 0);
    const lots = column((row) => row.lots);
    const isDetailed = sectors.every((row) => row.entered !== null && row.reverted !== null);
    const details = { entered: column((row) => row.entered), reverted: column((row) => row.reverted) };
    this.setEnd(minuteMs, {
      admitted: column((row) => row.admitted),
      valid: column((row) => row.valid),
      lots,
    });
    this.confirm(minuteMs, {
      net: column((row) => row.net),
      lots,
      details: isDetailed ? details : undefined,
    });
  }

  isConfirmed(minuteMs: number): boolean {
    return this.#slotWith(CONFIRMED, minuteMs) !== undefined;
  }

  /** Returns the beginnings of the confirmed minutes in [fromMs, toMs), in order. */
  confirmedMs(fromMs: number, toMs: number): readonly number[] {
    const minutesMs = [...this.#slots.keys()].filter(
      (ms) => ms >= fromMs && ms < toMs && this.isConfirmed(ms),
    );
    return minutesMs.toSorted((a, b) => a - b);
  }

  minute(minuteMs: number): Minute | undefined {
    const slot = this.#slotWith(CONFIRMED, minuteMs);
    if (slot === undefined) return undefined;
    const sectors = Array.from({ length: this.#sectorCount }, (_, sector) => this.#read(slot, sector));
    return { minuteMs, sectors };
  }

  hasEntries(minuteMs: number, sector: number): boolean {
    const slot = this.#slotWith(CONFIRMED, minuteMs);
    return slot !== undefined && hasEntries(this.#read(slot, sector));
  }

  /** Returns the flow of a confirmed minute (`flowOf`). */
  flow(minuteMs: number, sector: number): number | undefined {
    const slot = this.#slotWith(CONFIRMED, minuteMs);
    return slot === undefined ? undefined : this.#flow(slot, sector);
  }

  /** Returns their flow by sector; `undefined` unless all are confirmed. */
  flowOf(minutesMs: readonly number[]): Int32Array | undefined {
    const flow = new Int32Array(this.#sectorCount);
    for (const minuteMs of minutesMs) {
      const slot = this.#slotWith(CONFIRMED, minuteMs);
      if (slot === undefined) return undefined;
      for (let sector = 0; sector < flow.length; sector += 1)
        flow[sector] = (flow[sector] ?? 0) + this.#flow(slot, sector);
    }
    return flow;
  }

  #flow(slot: number, sector: number): number {
    const cell = slot * this.#sectorCount + sector;
    const made = this.#has(slot, DETAILED)
      ? (this.#entered[cell] ?? 0) - (this.#reverted[slot]?.[sector] ?? 0)
      : (this.#net[cell] ?? 0);
    return made - (this.#lots[slot]?.[sector] ?? 0);
  }

  #read(slot: number, sector: number): MinuteOfSector {
    const read = (column: Int32Array) => column[slot * this.#sectorCount + sector] ?? 0;
    const net = read(this.#net);
    const entered = read(this.#entered);
    const reverted = this.#reverted[slot]?.[sector] ?? 0;
    const isDetailed = this.#has(slot, DETAILED);
    return {
      admitted: read(this.#admitted),
      net,
      entered: isDetailed ? entered : null,
      reverted: isDetailed ? reverted : null,
      moved: isDetailed ? net - entered + reverted : null,
      valid: read(this.#valid),
      lots: this.#lots[slot]?.[sector] ?? 0,
    };
  }

  #row(column: Int32Array, slot: number): Int32Array {
    return column.subarray(slot * this.#sectorCount, (slot + 1) * this.#sectorCount);
  }

  #slotWith(flag: number, minuteMs: number): number | undefined {
    const slot = this.#slots.get(minuteMs);
    return slot !== undefined && this.#has(slot, flag) ? slot : undefined;
  }

  #has(slot: number, flag: number): boolean {
    return ((this.#flags[slot] ?? 0) & flag) !== 0;
  }

  #set(slot: number, flags: number): void {
    this.#flags[slot] = (this.#flags[slot] ?? 0) | flags;
  }

  #claim(minuteMs: number): number {
    const taken = this.#slots.get(minuteMs);
    if (taken !== undefined) return taken;
    const slot = this.#slots.size < SLOTS ? this.#slots.size : this.#releaseFarthestFrom(minuteMs);
    this.#slots.set(minuteMs, slot);
    this.#flags[slot] = 0;
    this.#reverted[slot] = undefined;
    this.#lots[slot] = undefined;
    return slot;
  }

  #releaseFarthestFrom(minuteMs: number): number {
    let farthest = { minuteMs, slot: 0 };
    for (const [otherMs, slot] of this.#slots) {
      if (Math.abs(otherMs - minuteMs) > Math.abs(farthest.minuteMs - minuteMs)) {
        farthest = { minuteMs: otherMs, slot };
      }
    }
    this.#slots.delete(farthest.minuteMs);
    return farthest.slot;
  }
}

function copyOfAny(counts: Int32Array): Int32Array | undefined {
  return counts.some((count) => count !== 0) ? counts.slice() : undefined;
}
