import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../benchmark.ts';
import type { TimedTotal } from '../support/delays.ts';

/** One line of a page's file. */
export type PageNote = TimedTotal | { readonly tookMs: number };

/** What a page has noted of itself in a file (page-process.ts). */
export interface PageNotes {
  readonly path: string;
  /** How long it took until it had all counts; `undefined`: it has not. */
  readonly tookMs: number | undefined;
  readonly total: number;
  /** Since the last call. */
  takeArrivals(): readonly TimedTotal[];
}

export function openPageNotes({ stops }: Scope): PageNotes {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-bench-'));
  stops.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'notes');
  writeFileSync(path, '');
  // The last line may be there in part.
  const read = (): PageNote[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as PageNote);
  const arrivals = (): TimedTotal[] => read().filter((note): note is TimedTotal => 'total' in note);
  let taken = 0;
  return {
    path,
    get tookMs() {
      return read().find((note): note is { readonly tookMs: number } => 'tookMs' in note)?.tookMs;
    },
    get total() {
      return arrivals().at(-1)?.total ?? -1;
    },
    takeArrivals() {
      const fresh = arrivals().slice(taken);
      taken += fresh.length;
      return fresh;
    },
  };
}
