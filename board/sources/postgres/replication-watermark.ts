/**
 * The freshness of a stream. Positions of the log are read beside the stream periodically; once the stream has passed such a
 * position, everything that was written before that reading has been passed on.
 */
export class ReplicationWatermark<Reading> {
  readonly #readings: { readonly lsn: bigint; readonly reading: Reading }[] = [];
  #passed: Reading;

  /** `reading` is of an instant at which everything committed had been passed on. */
  constructor(reading: Reading) {
    this.#passed = reading;
  }

  /** The log stood at `lsn`, or further, at this reading. */
  read(lsn: bigint, reading: Reading): void {
    this.#readings.push({ lsn, reading });
  }

  /** The stream has passed on every commit before `lsn`. Returns whether it passed a reading. */
  pass(lsn: bigint): boolean {
    const before = this.#passed;
    let first = this.#readings[0];
    while (first && first.lsn <= lsn) {
      this.#passed = first.reading;
      this.#readings.shift();
      first = this.#readings[0];
    }
    return this.#passed !== before;
  }

  /** The position of the first reading that was not passed; `undefined`: there is none. */
  get awaited(): bigint | undefined {
    return this.#readings[0]?.lsn;
  }

  /** The last reading that was passed: the stream is at its instant, or at a later one. */
  get passed(): Reading {
    return this.#passed;
  }
}

/** PostgreSQL writes a position of its log as two hexadecimal halves: `16/B374D848`. */
export function parseLsn(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
