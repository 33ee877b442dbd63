import { createHash } from 'node:crypto';
import type { RecordProof } from '../model/log/record-proof.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { Desk } from '../flow/desk.ts';
import { inBatches, logCsv, minutesCsv, type Pages, sha256 } from './record-files.ts';

/** Hashes both files of the record up to the minute `toMs` and the row `toSeq`. */
export async function proveRecord(
  desk: Desk,
  state: DeskState,
  { toMs, toSeq }: { readonly toMs: number; readonly toSeq: number },
): Promise<RecordProof> {
  let lastLink: string | null = null;
  const log = logCsv(desk, toSeq, (text) => (lastLink = sha256(text)));
  return {
    state,
    source: desk.source,
    minutes: { to: toMs, ...(await hashFile(minutesCsv(desk, toMs))) },
    log: { to: toSeq, ...(await hashFile(log)), lastLink },
  };
}

async function hashFile(pages: Pages): Promise<{ readonly lines: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const lines of inBatches(pages)) {
    hash.update(lines.join(''));
    count += lines.length;
  }
  // The header is no line of the record.
  return { lines: count - 1, sha256: hash.digest('hex') };
}
