import { createHash, type Hash } from 'node:crypto';
import { chainedText } from '../model/log/log-chain.ts';
import { LOG_HEADER, logLines } from '../model/log/record-csv.ts';
import type { Desk } from '../flow/desk.ts';
import { type Batches, logRows, sha256 } from './record-files.ts';
import type { SlicedWork } from './sliced-work.ts';

/** Up to a row of the log. */
interface Hashed {
  readonly seq: number;
  readonly lines: number;
  /** Of the row; null before the first. */
  readonly link: string | null;
  /** Of the file so far; to be copied before it is used. */
  readonly hash: Hash;
}

/**
 * Hashes the CSV of a log, which only grows, and goes on from where the last call ended: a whole log takes seconds of a
 * processor, and whoever waits for it in vain would ask again.
 */
export class LogFileHash {
  readonly #desk: Desk;
  readonly #work: SlicedWork;
  #hashed = nothingHashed();
  #last: Promise<unknown> = Promise.resolve();

  constructor(desk: Desk, work: SlicedWork) {
    this.#desk = desk;
    this.#work = work;
  }

  /** Of the file with the rows up to `seq`. Those who ask meanwhile wait for each other, and go on from there. */
  upTo(seq: number): Promise<{
    readonly lines: number;
    readonly sha256: string;
    readonly lastLink: string | null;
  }> {
    const done = this.#last.then(() => this.#goOnTo(seq));
    this.#last = done.catch(() => {});
    return done;
  }

  async #goOnTo(seq: number) {
    const from = (await this.#isUpToDate(seq)) ? this.#hashed : nothingHashed();
    const { eventId } = this.#desk;
    const hash = from.hash.copy();
    let { seq: last, lines, link } = from;
    async function* batches(desk: Desk): Batches {
      for await (const rows of logRows(desk, from.seq, seq)) {
        yield logLines(eventId, rows, (text) => (link = sha256(text)));
        last = rows.at(-1)?.seq ?? last;
        lines += rows.length;
      }
    }
    for await (const piece of this.#work.pieces(batches(this.#desk))) hash.update(piece);
    this.#hashed = { seq: last, lines, link, hash };
    return { lines, sha256: hash.copy().digest('hex'), lastLink: link };
  }

  /** Each row holds the hash of the one before it: the last one being the same, so are all. */
  async #isUpToDate(seq: number): Promise<boolean> {
    const { seq: last, link } = this.#hashed;
    if (last === 0 || last > seq) return false;
    const [row] = await this.#desk.log(last - 1, 1);
    return row?.seq === last && sha256(chainedText(this.#desk.eventId, row)) === link;
  }
}

function nothingHashed(): Hashed {
  return { seq: 0, lines: 0, link: null, hash: createHash('sha256').update(LOG_HEADER) };
}
