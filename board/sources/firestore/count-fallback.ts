import type { FirestoreLimits } from './limits.ts';
import type { CountAnswer } from './messages.ts';
import type { TicketMemory } from './ticket-memory.ts';

/** The numbers of late probes, while counts are answered, and of probes in time that switch the fallback on and off. */
const LATE_ONES = 2;
const ONES_IN_TIME = 3;

/**
 * Whether Firestore is asked for a count of the tickets that have entered, where its stream does not answer probes in time.
 * It is known of a project, whatever its streams.
 */
export class CountFallback {
  #late = 0;
  #inTime = 0;
  #isOn = false;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** A probe was answered, or a count instead of it. */
  addAnswer(isInTime: boolean): void {
    this.#late = isInTime ? 0 : this.#late + 1;
    this.#inTime = isInTime ? this.#inTime + 1 : 0;
    if (this.#late >= LATE_ONES) this.#isOn = true;
    if (this.#inTime >= ONES_IN_TIME) this.#isOn = false;
  }
}

/**
 * What counts prove of one stream. A count was right at its read time. If the stream has come as far, it has everything that
 * was committed before the asking; if it has brought nothing since then, and counts as many, it has no entry to bring.
 */
export class CountProofs {
  readonly #limits: FirestoreLimits;
  readonly #memory: TicketMemory;
  /** Counts that the stream is behind. */
  #open: { readonly readTimeUs: number; readonly askedAtMs: number }[] = [];
  #isAsking = false;
  #lastAskedAtMs = -Infinity;

  constructor(limits: FirestoreLimits, memory: TicketMemory) {
    this.#limits = limits;
    this.#memory = memory;
  }

  get isDue(): boolean {
    const { probeEveryMs, tickMs } = this.#limits;
    return !this.#isAsking && performance.now() - this.#lastAskedAtMs >= probeEveryMs - tickMs / 2;
  }

  /** Asks by `count`, and passes on what the answer proves at once. Returns whether there was an answer. */
  async ask(
    count: () => Promise<CountAnswer>,
    onProof: (readTimeUs: number, askedAtMs: number) => void,
  ): Promise<boolean> {
    const askedAtMs = performance.now();
    this.#isAsking = true;
    this.#lastAskedAtMs = askedAtMs;
    try {
      const { count: theirs, readTimeUs } = await count();
      const isEqual = theirs === this.#memory.count({ entrou: true });
      if (isEqual || this.#memory.readTimeUs >= readTimeUs)
        onProof(Math.max(readTimeUs, this.#memory.readTimeUs), askedAtMs);
      else this.#open.push({ readTimeUs, askedAtMs });
      return true;
    } catch {
      return false;
    } finally {
      this.#isAsking = false;
    }
  }

  /** The stream has a new reading. Returns when the newest count was asked that it has caught up with. */
  caughtUp(): number | undefined {
    const answered = this.#open.filter(({ readTimeUs }) => readTimeUs <= this.#memory.readTimeUs);
    this.#open = this.#open.filter(({ readTimeUs }) => readTimeUs > this.#memory.readTimeUs);
    return answered.at(-1)?.askedAtMs;
  }
}
