import { createHash } from 'node:crypto';
import type { RecordProof } from '../model/log/record-proof.ts';
import type { Desk } from '../flow/desk.ts';
import { LogFileHash } from './log-file-hash.ts';
import { type Batches, endOfMinutes, minutesCsv } from './record-files.ts';
import type { SlicedWork } from './sliced-work.ts';

interface FileHash {
  readonly lines: number;
  readonly sha256: string;
}

/** What was hashed of one record, and what is being hashed. */
interface Hashes {
  readonly log: LogFileHash;
  readonly minutes: Map<number, Promise<FileHash>>;
}

/** Hashes both files of records as they are when it is asked. */
export class RecordProver {
  readonly #work: SlicedWork;
  readonly #hashes = new WeakMap<Desk, Hashes>();

  constructor(work: SlicedWork) {
    this.#work = work;
  }

  async prove(desk: Desk): Promise<RecordProof> {
    const state = await desk.state();
    const [toMs, toSeq] = [endOfMinutes(state), state.lastSeq];
    const [ofMinutes, ofLog] = await Promise.all([
      this.#hashMinutes(desk, toMs),
      this.#hashesOf(desk).log.upTo(toSeq),
    ]);
    return {
      state,
      source: desk.source,
      minutes: { to: toMs, ...ofMinutes },
      log: { to: toSeq, ...ofLog },
    };
  }

  /** Those who ask for the same file while it is hashed get the same answer. */
  #hashMinutes(desk: Desk, toMs: number): Promise<FileHash> {
    const { minutes } = this.#hashesOf(desk);
    const begun = minutes.get(toMs);
    if (begun) return begun;
    const hashed = hashLines(minutesCsv(desk, toMs), this.#work).finally(() => minutes.delete(toMs));
    minutes.set(toMs, hashed);
    return hashed;
  }

  #hashesOf(desk: Desk): Hashes {
    const known = this.#hashes.get(desk);
    if (known) return known;
    const hashes = { log: new LogFileHash(desk, this.#work), minutes: new Map<number, Promise<FileHash>>() };
    this.#hashes.set(desk, hashes);
    return hashes;
  }
}

async function hashLines(batches: Batches, work: SlicedWork): Promise<FileHash> {
  const hash = createHash('sha256');
  let count = 0;
  function* counted(lines: Iterable<string>): Generator<string> {
    for (const line of lines) {
      count += 1;
      yield line;
    }
  }
  async function* all(): Batches {
    for await (const lines of batches) yield counted(lines);
  }
  for await (const piece of work.pieces(all())) hash.update(piece);
  // Without the header.
  return { lines: count - 1, sha256: hash.digest('hex') };
}
