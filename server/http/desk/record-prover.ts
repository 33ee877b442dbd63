import { createHash } from 'node:crypto';
import type { RecordProof } from '../../../domain/flow/record-proof.ts';
import type { Desk } from '../../flow/desk.ts';
import { LogFileHash } from './log-file-hash.ts';
import { endOfMinutes, minutesCsv } from './record-files.ts';
import type { SlicedWork } from './sliced-work.ts';

/** Hashes both files of a record as they are when it is called. */
export function createProver(desk: Desk, work: SlicedWork): () => Promise<RecordProof> {
  const log = new LogFileHash(desk, work);
  const minutes = new Map<number, Promise<FileHash>>();
  /** Those who ask for the same file while it is hashed get the same answer. */
  const hashMinutes = (toMs: number): Promise<FileHash> => {
    const begun = minutes.get(toMs);
    if (begun) return begun;
    const hashed = hashLines(minutesCsv(desk, toMs), work).finally(() => minutes.delete(toMs));
    minutes.set(toMs, hashed);
    return hashed;
  };
  return async () => {
    const state = desk.state();
    const [toMs, toSeq] = [endOfMinutes(desk), state.lastSeq];
    const [ofMinutes, ofLog] = await Promise.all([hashMinutes(toMs), log.upTo(toSeq)]);
    return {
      state,
      source: desk.source,
      minutes: { to: toMs, ...ofMinutes },
      log: { to: toSeq, ...ofLog },
    };
  };
}

interface FileHash {
  readonly lines: number;
  readonly sha256: string;
}

async function hashLines(lines: Iterable<string>, work: SlicedWork): Promise<FileHash> {
  const hash = createHash('sha256');
  let count = 0;
  function* counted(): Generator<string> {
    for (const line of lines) {
      count += 1;
      yield line;
    }
  }
  for await (const piece of work.pieces(counted())) hash.update(piece);
  // Without the header.
  return { lines: count - 1, sha256: hash.digest('hex') };
}
