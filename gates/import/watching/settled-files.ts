import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintOf } from '../csv/ticket-file.ts';

/** Matches names of files that a program is still writing, and of hidden files. */
const UNFINISHED = /^\.|^~\$|\.(part|partial|tmp|temp|filepart|crdownload|swp)$|~$/i;
/** An empty file is likely to be filled: it settles so many times later. */
const PATIENCE_WITH_EMPTY = 10;
/** A file system takes 255 bytes: a name gets a time in `done` and `failed`, and its report an ending. */
const MAX_NAME_BYTES = 200;

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
    const entries = await readdir(this.#folder, { withFileTypes: true, encoding: 'buffer' });
    const present = new Set(entries.map(({ name }) => name.toString()));
    for (const name of this.#refused) if (!present.has(name)) this.#refused.delete(name);
    const names = entries.filter((entry) => this.#isTaken(entry)).map(({ name }) => name.toString());
    for (const name of this.#seen.keys()) if (!names.includes(name)) this.#seen.delete(name);
    const settled = [];
    for (const name of names.toSorted()) settled.push(await this.#settled(name));
    return settled[0];
  }

  #isTaken(entry: Dirent<Buffer>): boolean {
    const name = entry.name.toString();
    if (UNFINISHED.test(name) || entry.isDirectory()) return false;
    const fault = faultOf(entry);
    if (fault === undefined) return true;
    if (!this.#refused.has(name)) this.#log(`${name}: not taken, as ${fault}`);
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

/** Returns why an entry of the folder cannot be imported, with the fix. */
function faultOf(entry: Dirent<Buffer>): string | undefined {
  if (!entry.isFile()) return 'it is a link, or no file';
  if (!isUtf8(entry.name)) return 'its name is not UTF-8: rename it';
  if (entry.name.length > MAX_NAME_BYTES)
    return `its name is longer than ${MAX_NAME_BYTES} bytes: give it a shorter one`;
  return undefined;
}
