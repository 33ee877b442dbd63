import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import type { MemoryCopy } from './ticket-memory.ts';

const FILE = 'firestore-resume';
const VERSION = 1;
/** Tickets on one line: nothing else waits longer than it takes to write one. */
const LINE_TICKETS = 2_000;

interface Header {
  readonly version: number;
  /** Its address and full name. */
  readonly collection: string;
  readonly savedAtMs: number;
  readonly readTimeUs: number;
  /** Base64. */
  readonly resumeToken: string;
  readonly codes: readonly string[];
}

/** Tickets by their IDs. */
interface Line {
  readonly ids: readonly string[];
  readonly packed: readonly number[];
}

/**
 * Keeps the memory with the resume token that it belongs to in one file: the hash of all that follows, then a header, then
 * tickets, a line of JSON each. It is replaced as a whole.
 */
export class ResumeFile {
  readonly #folder: string;
  readonly #collection: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, collection: string) {
    this.#folder = folder;
    this.#collection = collection;
  }

  /** `undefined`: there is none that is of this collection and not older. Rejects where the file is damaged. */
  async read(withinMs: number): Promise<MemoryCopy | undefined> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const end = text.indexOf('\n');
    const hash = createHash('sha256')
      .update(text.slice(end + 1))
      .digest('hex');
    if (hash !== text.slice(0, end)) throw new Error('its content does not match its hash');
    const [header, ...lines] = text
      .slice(end + 1)
      .trimEnd()
      .split('\n');
    const { version, collection, savedAtMs, readTimeUs, resumeToken, codes } = JSON.parse(
      header ?? '',
    ) as Header;
    const ageMs = Date.now() - savedAtMs;
    if (version !== VERSION || collection !== this.#collection || ageMs < 0 || ageMs > withinMs)
      return undefined;
    const tickets = lines.map((line) => JSON.parse(line) as Line);
    return {
      readTimeUs,
      resumeToken: Buffer.from(resumeToken, 'base64'),
      codes,
      ids: tickets.flatMap(({ ids }) => ids),
      packed: tickets.flatMap(({ packed }) => packed),
    };
  }

  /** One after the other. */
  write(copy: MemoryCopy): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write(copy));
    return this.#writing;
  }

  get #path(): string {
    return join(this.#folder, FILE);
  }

  async #write({ readTimeUs, resumeToken, codes, ids, packed }: MemoryCopy): Promise<void> {
    const header: Header = {
      version: VERSION,
      collection: this.#collection,
      savedAtMs: Date.now(),
      readTimeUs,
      resumeToken: resumeToken.toString('base64'),
      codes,
    };
    const lines = [`${JSON.stringify(header)}\n`];
    for (let at = 0; at < ids.length; at += LINE_TICKETS) {
      const line: Line = {
        ids: ids.slice(at, at + LINE_TICKETS),
        packed: packed.slice(at, at + LINE_TICKETS),
      };
      lines.push(`${JSON.stringify(line)}\n`);
      await breathe();
    }
    const hash = createHash('sha256');
    for (const line of lines) hash.update(line);
    await mkdir(this.#folder, { recursive: true });
    const temporary = `${this.#path}.new`;
    // An ID may be a barcode.
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.write(`${hash.digest('hex')}\n`);
      for (const line of lines) await file.write(line);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path).catch(async (error: unknown) => {
      await rm(temporary, { force: true });
      throw error;
    });
  }
}
