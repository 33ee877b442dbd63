import type { ClockReading } from './ticket-feed.ts';

/**
 * How fresh the stream is. The position of the log and the database's clock are read beside the stream from time to
 * time; once the stream has passed such a position, everything written before that reading has been told.
 */
export class ReplicationWatermark {
  readonly #readings: { readonly lsn: bigint; readonly clock: ClockReading }[] = [];
  #passed: ClockReading;

  /** `clock`: when everything told so far was known to be everything committed. */
  constructor(clock: ClockReading) {
    this.#passed = clock;
  }

  /** The log stood at `lsn`, or further, when the clock was read. */
  read(lsn: bigint, clock: ClockReading): void {
    this.#readings.push({ lsn, clock });
  }

  /** The stream has told every commit before `lsn`. Returns whether it passed a reading. */
  pass(lsn: bigint): boolean {
    const before = this.#passed;
    let reading = this.#readings[0];
    while (reading && reading.lsn <= lsn) {
      this.#passed = reading.clock;
      this.#readings.shift();
      reading = this.#readings[0];
    }
    return this.#passed !== before;
  }

  /** The last reading that was passed: the counts told so far are those of that instant, or of a later one. */
  get passed(): ClockReading {
    return this.#passed;
  }
}

/** PostgreSQL writes a position of its log as two hexadecimal halves: `16/B374D848`. */
export function parseLsn(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
