import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintOf } from '../csv/ticket-file.ts';

/** Matches names of files that a program is still writing, and of hidden files. */
const UNFINISHED = /^\.|^~\$|\.(part|partial|tmp|temp|filepart|crdownload|swp)$|~$/i;
/** An empty file is likely to be filled: it settles so many times later. */
const PATIENCE_WITH_EMPTY = 10;

/** A file that is complete, with its fingerprint (`fingerprintOf`). */
export interface SettledFile {
  readonly name: string;
  readonly fingerprint: string;
}

/** Yields the files of a folder in the order of their names, each once it has not changed for `settleMs`. */
export class SettledFiles {
  readonly #folder: string;
  readonly #settleMs: number;
  readonly #log: (line: string) => void;
  readonly #seen = new Map<string, { readonly fingerprint: string; readonly sinceMs: number }>();
  readonly #refused = new Set<string>();

  constructor(folder: string, settleMs: number, log: (line: string) => void) {
    this.#folder = folder;
    this.#settleMs = settleMs;
    this.#log = log;
  }

  /** Returns the first file; undefined while there is none, or while the first one has not settled. */
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
    if (!this.#refused.has(name)) this.#log(`${name}: not taken, as it is a link, or no file`);
    this.#refused.add(name);
    return false;
  }

  async #settled(name: string): Promise<SettledFile | undefined> {
    // The file may be removed at any time.
    const status = await lstat(join(this.#folder, name), { bigint: true }).catch(() => undefined);
    if (!status) return undefined;
    const fingerprint = fingerprintOf(status);
    const nowMs = performance.now();
    const seen = this.#seen.get(name);
    if (seen?.fingerprint !== fingerprint) {
      this.#seen.set(name, { fingerprint, sinceMs: nowMs });
      return undefined;
    }
    const patience = status.size === 0n ? PATIENCE_WITH_EMPTY : 1;
    return nowMs - seen.sinceMs >= this.#settleMs * patience ? { name, fingerprint } : undefined;
  }
}
