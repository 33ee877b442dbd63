import { KEPT_MS, type Minute, MINUTE_MS, type MinuteOfSector } from './minute.ts';

const SLOTS = KEPT_MS / MINUTE_MS;

/** What is known of the minute of a slot, as bits. */
const END_WATCHED = 1;
const KNOWN = 2;
const DETAILED = 4;

/** By sector, at the end of a minute; `lots` are those within it that are known so far. */
export interface MinuteEnd {
  readonly admitted: Int32Array;
  readonly valid: Int32Array;
  readonly lots: Int32Array;
}

/** What a minute brought, by sector. */
export interface MinuteFlow {
  readonly net: Int32Array;
  readonly lots: Int32Array;
  /** Undefined where the watching was interrupted within the minute. */
  readonly details: { readonly entered: Int32Array; readonly reverted: Int32Array } | undefined;
}

/**
 * The minutes of a day, known or not, with how many were in at their ends. `moved` is not kept: it follows from the rest.
 * Once all slots are taken, the minute farthest from the new one goes: a clock that is wrong for a while takes no place
 * from the last hours.
 */
export class MinuteStore {
  readonly #sectorCount: number;
  /** By the beginning of their minute. */
  readonly #slots = new Map<number, number>();
  readonly #flags = new Uint8Array(SLOTS);
  readonly #admitted: Int32Array;
  readonly #valid: Int32Array;
  readonly #net: Int32Array;
  readonly #entered: Int32Array;
  /** Few minutes have any of these two. */
  readonly #reverted: (Int32Array | undefined)[] = [];
  readonly #lots: (Int32Array | undefined)[] = [];

  constructor(sectorCount: number) {
    this.#sectorCount = sectorCount;
    this.#admitted = new Int32Array(SLOTS * sectorCount);
    this.#valid = new Int32Array(SLOTS * sectorCount);
    this.#net = new Int32Array(SLOTS * sectorCount);
    this.#entered = new Int32Array(SLOTS * sectorCount);
  }

  /** Its end was watched. */
  setEnd(minuteMs: number, { admitted, valid, lots }: MinuteEnd): void {
    const slot = this.#claim(minuteMs);
    this.#set(slot, END_WATCHED);
    this.#admitted.set(admitted, slot * this.#sectorCount);
    this.#valid.set(valid, slot * this.#sectorCount);
    this.#lots[slot] = copyOfAny(lots);
  }

  /** A copy; of a minute whose end was watched. */
  end(minuteMs: number): MinuteEnd {
    const slot = this.#claim(minuteMs);
    return {
      admitted: this.#row(this.#admitted, slot).slice(),
      valid: this.#row(this.#valid, slot).slice(),
      lots: this.#lots[slot]?.slice() ?? new Int32Array(this.#sectorCount),
    };
  }

  /** How many were in at its end, by sector, where that was watched. Not to be kept. */
  admittedAtEnd(minuteMs: number): Int32Array | undefined {
    const slot = this.#slotWith(END_WATCHED, minuteMs);
    return slot === undefined ? undefined : this.#row(this.#admitted, slot);
  }

  /** The minute becomes known; its end is set. */
  setKnown(minuteMs: number, { net, lots, details }: MinuteFlow): void {
    const slot = this.#claim(minuteMs);
    this.#flags[slot] = (this.#flags[slot] ?? 0) & ~DETAILED;
    this.#set(slot, details ? KNOWN | DETAILED : KNOWN);
    this.#net.set(net, slot * this.#sectorCount);
    this.#lots[slot] = copyOfAny(lots);
    if (!details) return;
    this.#entered.set(details.entered, slot * this.#sectorCount);
    this.#reverted[slot] = copyOfAny(details.reverted);
  }

  /** A minute as the record has it, whatever is known of it here. */
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
    this.setKnown(minuteMs, {
      net: column((row) => row.net),
      lots,
      details: isDetailed ? details : undefined,
    });
  }

  isKnown(minuteMs: number): boolean {
    return this.#slotWith(KNOWN, minuteMs) !== undefined;
  }

  /** When the known minutes begin, in order. */
  knownMs(fromMs: number, toMs: number): readonly number[] {
    const minutesMs = [...this.#slots.keys()].filter((ms) => ms >= fromMs && ms < toMs && this.isKnown(ms));
    return minutesMs.toSorted((a, b) => a - b);
  }

  minute(minuteMs: number): Minute | undefined {
    const slot = this.#slotWith(KNOWN, minuteMs);
    if (slot === undefined) return undefined;
    const sectors = Array.from({ length: this.#sectorCount }, (_, sector) => this.#read(slot, sector));
    return { minuteMs, sectors };
  }

  /** Whether somebody entered; where that was not watched, whether more were in at its end than before. */
  hasEntries(minuteMs: number, sector: number): boolean {
    const slot = this.#slotWith(KNOWN, minuteMs);
    if (slot === undefined) return false;
    const counts = this.#has(slot, DETAILED) ? this.#entered : this.#net;
    return (counts[slot * this.#sectorCount + sector] ?? 0) > 0;
  }

  /** What a minute brought without its lots; `undefined` where it is not known. */
  flow(minuteMs: number, sector: number): number | undefined {
    const slot = this.#slotWith(KNOWN, minuteMs);
    if (slot === undefined) return undefined;
    return (this.#net[slot * this.#sectorCount + sector] ?? 0) - (this.#lots[slot]?.[sector] ?? 0);
  }

  /** What these minutes brought without their lots, by sector; `undefined` where one is not known. */
  flowOf(minutesMs: readonly number[]): Int32Array | undefined {
    const flow = new Int32Array(this.#sectorCount);
    for (const minuteMs of minutesMs) {
      const slot = this.#slotWith(KNOWN, minuteMs);
      if (slot === undefined) return undefined;
      const lots = this.#lots[slot];
      for (let sector = 0; sector < flow.length; sector += 1) {
        const net = this.#net[slot * this.#sectorCount + sector] ?? 0;
        flow[sector] = (flow[sector] ?? 0) + net - (lots?.[sector] ?? 0);
      }
    }
    return flow;
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
