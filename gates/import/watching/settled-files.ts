import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeLook } from '../csv/ticket-file.ts';

/** What programs call a file that they are still writing, and what is hidden. */
const UNFINISHED = /^\.|^~\$|\.(part|partial|tmp|temp|filepart|crdownload|swp)$|~$/i;
/** An empty file is likelier to be filled than another is to be added to: it is given so many times as long. */
const PATIENCE_WITH_EMPTY = 10;

/** A file that is whole. */
export interface SettledFile {
  readonly name: string;
  /** What it looks like, as `describeLook` says it: with another look it is another file, or was written to. */
  readonly look: string;
}

/** The files that are dropped into a folder, in the order of their names, each once it is whole. */
export class SettledFiles {
  readonly #folder: string;
  readonly #settleMs: number;
  readonly #say: (line: string) => void;
  /** What each file looked like, and since when. */
  readonly #seen = new Map<string, { readonly look: string; readonly sinceMs: number }>();
  readonly #refused = new Set<string>();

  /** `settleMs`: a file that has not changed for so long is whole. `say` hears once of what is never taken. */
  constructor(folder: string, settleMs: number, say: (line: string) => void) {
    this.#folder = folder;
    this.#settleMs = settleMs;
    this.#say = say;
  }

  /** The first file; undefined while there is none, or while that is not whole: those behind it wait. */
  async next(): Promise<SettledFile | undefined> {
    const entries = await readdir(this.#folder, { withFileTypes: true });
    const names = entries.filter((entry) => this.#isTaken(entry)).map(({ name }) => name);
    for (const name of this.#seen.keys()) if (!names.includes(name)) this.#seen.delete(name);
    const settled = [];
    for (const name of names.toSorted()) settled.push(await this.#settled(name));
    return settled[0];
  }

  #isTaken(entry: Dirent): boolean {
    const { name } = entry;
    if (UNFINISHED.test(name) || entry.isDirectory()) return false;
    if (entry.isFile()) return true;
    if (!this.#refused.has(name)) this.#say(`${name}: not taken, as it is a link, or no file`);
    this.#refused.add(name);
    return false;
  }

  /** Undefined: it is not whole. */
  async #settled(name: string): Promise<SettledFile | undefined> {
    // One that is taken away meanwhile is missing at the next look.
    const status = await lstat(join(this.#folder, name), { bigint: true }).catch(() => undefined);
    if (!status) return undefined;
    const look = describeLook(status);
    const nowMs = performance.now();
    const seen = this.#seen.get(name);
    if (seen?.look !== look) {
      this.#seen.set(name, { look, sinceMs: nowMs });
      return undefined;
    }
    const patience = status.size === 0n ? PATIENCE_WITH_EMPTY : 1;
    return nowMs - seen.sinceMs >= this.#settleMs * patience ? { name, look } : undefined;
  }
}
