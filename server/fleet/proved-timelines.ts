import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { errorCode, errorMessage } from '../../database/setup-error.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';

const AGAIN_AFTER_MS = 1_000;

/**
 * The highest timeline of each database system that a live counter has proved to this edge, kept in a file: also after a
 * restart, the edge knows a counter on a lower timeline for one of a former primary.
 */
export class ProvedTimelines extends KnownTimelines<string> {
  readonly #path: string;
  readonly #log: Logger;
  #warning: string | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(path: string, log: Logger) {
    super(readKept(path, log));
    this.#path = path;
    this.#log = log;
  }

  override note(server: { readonly systemId: string; readonly timeline: string }): boolean {
    const isLater = super.note(server);
    if (isLater) this.#keep();
    return isLater;
  }

  /** Why the file lacks what was proved; it is tried again until it does not. */
  get warning(): string | undefined {
    return this.#warning;
  }

  /** Edges of one machine may share the file: entries of others are kept. */
  #keep(): void {
    clearTimeout(this.#again);
    const others = new KnownTimelines(readKept(this.#path, this.#log));
    for (const [systemId, timeline] of this.latest) others.note({ systemId, timeline });
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(temporary, `${JSON.stringify(Object.fromEntries(others.latest))}\n`);
      renameSync(temporary, this.#path);
      this.#warning = undefined;
    } catch (error) {
      const warning = `Which primary counts cannot be kept across a restart: ${errorMessage(error)}. Let STATE_DIR name a folder that this account may write, on a disk with room`;
      if (warning !== this.#warning) this.#log.error({ path: this.#path }, warning);
      this.#warning = warning;
      this.#again = setTimeout(() => this.#keep(), AGAIN_AFTER_MS).unref();
    }
  }
}

function readKept(path: string, log: Logger): [string, string][] {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof kept !== 'object' || kept === null) throw new Error('it is no object');
    return Object.entries(kept).filter(([, timeline]) => isTimeline(timeline));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT')
      log.error({ reason: errorMessage(error), path }, 'the timelines that were kept cannot be read');
    return [];
  }
}

function isTimeline(value: unknown): boolean {
  return typeof value === 'string' && /^(R[0-9A-F]{8})?[0-9A-F]{8}$/.test(value);
}
