/** One piece in so long, about 5 MB/s: an edge that was sent all at once would be dropped by NATS (`max_pending`). */
const SEND_EVERY_MS = 100;
const MAX_WAITING_BYTES = 64 * 1_024 * 1_024;

/** Pieces of large states that wait to be published, each state's in their order, the states in turn. */
export class PieceQueue {
  readonly #publish: (subject: string, bytes: Buffer) => void;
  readonly #waiting = new Map<string, Buffer[]>();
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(publish: (subject: string, bytes: Buffer) => void) {
    this.#publish = publish;
  }

  /** Whether some of the state on this subject is still to be published. */
  has(subject: string): boolean {
    return this.#waiting.has(subject);
  }

  /** In the place of those of the same subject. False: too much waits; whoever lacks the state asks again. */
  add(subject: string, pieces: readonly Buffer[]): boolean {
    this.#remove(subject);
    const bytes = sizeOf(pieces);
    if (this.#bytes + bytes > MAX_WAITING_BYTES) return false;
    this.#waiting.set(subject, [...pieces]);
    this.#bytes += bytes;
    if (this.#timer === undefined) this.#send();
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }

  readonly #send = (): void => {
    this.#timer = undefined;
    const [first] = this.#waiting;
    if (!first) return;
    const [subject, pieces] = first;
    const piece = pieces.shift();
    if (pieces.length === 0) this.#waiting.delete(subject);
    if (piece) {
      this.#bytes -= piece.length;
      this.#publish(subject, piece);
    }
    this.#timer = setTimeout(this.#send, SEND_EVERY_MS);
  };

  #remove(subject: string): void {
    this.#bytes -= sizeOf(this.#waiting.get(subject) ?? []);
    this.#waiting.delete(subject);
  }
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
