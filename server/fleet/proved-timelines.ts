import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { errorCode, errorMessage } from '../../database/setup-error.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';

/**
 * The highest timeline of each database system that a live counter has proved to this edge, kept in a file: also after a
 * restart, the edge knows a counter on a lower timeline for one of a former primary.
 */
export class ProvedTimelines extends KnownTimelines<string> {
  readonly #path: string;
  readonly #log: Logger;

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

  /** Edges of one machine may share the file: entries of others are kept. */
  #keep(): void {
    const others = new KnownTimelines(readKept(this.#path, this.#log));
    for (const [systemId, timeline] of this.latest) others.note({ systemId, timeline });
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(temporary, `${JSON.stringify(Object.fromEntries(others.latest))}\n`);
      renameSync(temporary, this.#path);
    } catch (error) {
      this.#log.error(
        { reason: errorMessage(error), path: this.#path },
        'which primary counts cannot be kept across a restart: let STATE_DIR name a folder that this account may write',
      );
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
