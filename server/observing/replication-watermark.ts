/**
 * How fresh the stream is. The position of the log is read beside the stream from time to time; once the
 * stream has passed such a position, everything committed before that reading has been told.
 */
export class ReplicationWatermark {
  readonly #readings: { readonly lsn: bigint; readonly atMs: number }[] = [];
  #passedAtMs: number;

  /** `atMs`: when everything told so far was known to be everything committed. */
  constructor(atMs: number) {
    this.#passedAtMs = atMs;
  }

  /** The log stood at `lsn`, or further, when the clock stood at `atMs`. */
  read(lsn: bigint, atMs: number): void {
    this.#readings.push({ lsn, atMs });
  }

  /** The stream has told every commit before `lsn`. */
  pass(lsn: bigint): void {
    let reading = this.#readings[0];
    while (reading && reading.lsn <= lsn) {
      this.#passedAtMs = reading.atMs;
      this.#readings.shift();
      reading = this.#readings[0];
    }
  }

  /** The counts told so far are those of this instant, or of a later one. */
  get passedAtMs(): number {
    return this.#passedAtMs;
  }
}

/** PostgreSQL writes a position of its log as two hexadecimal halves: `16/B374D848`. */
export function parseLsn(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
