import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import { MAX_EVENTS_FILE_BYTES, type NamedEvent, readEvents } from './read-events-file.ts';
import { JsonFileError } from '../../domain/json-file.ts';
import type { Venue } from '../../domain/venue.ts';
import { readTextFile } from '../../board/venue/text-file.ts';
import { readVenueFile } from '../../board/venue/venue-file.ts';

/** How often the file is polled. A change is read once two polls have seen the same version. */
const POLL_MS = 1_000;

/**
 * Reads an events file and, by `readVenue`, the venue files that it names, relative to it.
 *
 * @throws JsonFileError that names every fault.
 */
export function readEventsFile(path: string, readVenue = readVenueFile): NamedEvent[] {
  const text = readTextFile(path, 'an events file', MAX_EVENTS_FILE_BYTES);
  return readEvents(text, (venueFile) => readVenue(resolve(dirname(path), venueFile)));
}

export interface EventsFileOptions {
  readonly path: string;
  readonly log: Logger;
  /** Called with all events whenever they have changed. */
  readonly onChange: (events: readonly NamedEvent[]) => void;
  /** Tests poll faster. */
  readonly pollMs?: number;
}

/**
 * Follows an events file and the venues that it names, however they are replaced: written in place, renamed over, remounted.
 * It polls, since no file system notifies of all these. A file with faults changes nothing.
 */
export class EventsFile {
  readonly #options: EventsFileOptions;
  #files: readonly string[] = [];
  /** Only venues that have changed are read again: a thousand take a quarter of a second. */
  #venues = new Map<string, ReadVenue>();
  /** The versions that the last poll saw, and those that were read last. */
  #seen = '';
  #read = '';
  #events: readonly NamedEvent[];
  #warning: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @throws JsonFileError that names every fault. */
  constructor(options: EventsFileOptions) {
    this.#options = options;
    this.#events = this.#readFiles(new Map());
    this.#schedule();
  }

  get events(): readonly NamedEvent[] {
    return this.#events;
  }

  /** What is wrong with the present file; the events are those of its last version without faults. */
  get warning(): string | undefined {
    return this.#warning;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#options.pollMs ?? POLL_MS);
  }

  async #look(): Promise<void> {
    const versions = await Promise.all(this.#files.map(versionOf));
    if (this.#isStopped) return;
    const seen = versions.join('\n');
    const standsStill = seen === this.#seen;
    this.#seen = seen;
    if (standsStill && seen !== this.#read) {
      this.#read = seen;
      this.#readAgain(new Map(this.#files.map((file, index) => [file, versions[index] ?? ''])));
    }
    this.#schedule();
  }

  /** `versions` holds those of an earlier poll, by path. Every file that is read is polled from now on, faulty or not. */
  #readFiles(versions: ReadonlyMap<string, string>): NamedEvent[] {
    const { path } = this.#options;
    const files = new Set([path]);
    const venues = new Map<string, ReadVenue>();
    try {
      return readEventsFile(path, (venuePath) => {
        files.add(venuePath);
        const version = versions.get(venuePath);
        const known = this.#venues.get(venuePath);
        const venue = known && known.version === version ? known.venue : readVenueFile(venuePath);
        if (version !== undefined) venues.set(venuePath, { version, venue });
        return venue;
      });
    } finally {
      this.#files = [...files];
      this.#venues = venues;
    }
  }

  #readAgain(versions: ReadonlyMap<string, string>): void {
    const { path, log, onChange } = this.#options;
    try {
      const events = this.#readFiles(versions);
      const isOther = JSON.stringify(events) !== JSON.stringify(this.#events);
      if (isOther || this.#warning !== undefined) {
        log.info({ file: path, events: events.length }, 'the events file was read again');
      }
      this.#warning = undefined;
      this.#events = events;
      if (isOther) onChange(events);
    } catch (error) {
      if (!(error instanceof JsonFileError)) throw error;
      const [first, ...more] = error.faults;
      const others = more.length > 0 ? `, and ${more.length} more (the log names them)` : '';
      const before = this.#warning;
      this.#warning = `EVENTS_FILE is "${path}", of which the last version without faults is served: ${first}${others}`;
      if (this.#warning === before) return;
      log.warn(
        { file: path, faults: error.faults },
        'the events file has faults: its last version is served',
      );
    }
  }
}

interface ReadVenue {
  readonly version: string;
  readonly venue: Venue;
}

/** Changes whenever the file is written, even with the same text. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [path, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return `${path} ${(error as NodeJS.ErrnoException).code}`;
  }
}
