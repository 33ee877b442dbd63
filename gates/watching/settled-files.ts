import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What programs call a file that they are still writing, and what is hidden. */
const UNFINISHED = /^\.|^~\$|\.(part|partial|tmp|temp|filepart|crdownload|swp)$|~$/i;
/** An empty file is likelier to be filled than another is to be added to: it is given so many times as long. */
const PATIENCE_WITH_EMPTY = 10;

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

  /** The name of the first file; undefined while there is none, or while that is not whole: those behind it wait. */
  async next(): Promise<string | undefined> {
    const entries = await readdir(this.#folder, { withFileTypes: true });
    const names = entries.filter((entry) => this.#isTaken(entry)).map(({ name }) => name);
    for (const name of this.#seen.keys()) if (!names.includes(name)) this.#seen.delete(name);
    const settled = [];
    for (const name of names.toSorted()) settled.push({ name, isSettled: await this.#isSettled(name) });
    const [first] = settled;
    return first?.isSettled === true ? first.name : undefined;
  }

  #isTaken(entry: Dirent): boolean {
    const { name } = entry;
    if (UNFINISHED.test(name) || entry.isDirectory()) return false;
    if (entry.isFile()) return true;
    if (!this.#refused.has(name)) this.#say(`${name}: not taken, as it is a link, or no file`);
    this.#refused.add(name);
    return false;
  }

  async #isSettled(name: string): Promise<boolean> {
    // One that is taken away meanwhile is missing at the next look.
    const status = await lstat(join(this.#folder, name)).catch(() => undefined);
    if (!status) return false;
    const look = `${status.ino} ${status.size} ${status.mtimeMs}`;
    const nowMs = performance.now();
    const seen = this.#seen.get(name);
    if (seen?.look !== look) {
      this.#seen.set(name, { look, sinceMs: nowMs });
      return false;
    }
    return nowMs - seen.sinceMs >= this.#settleMs * (status.size === 0 ? PATIENCE_WITH_EMPTY : 1);
  }
}
