import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDocumentId } from '../../domain/event.ts';
import { errorCode, errorMessage, GatesError, UnseenError } from './errors.ts';

/** The event of a board. */
export interface ShownEvent {
  readonly eventId: string;
  /** Undefined where only the board knows it. */
  readonly title: string | undefined;
  /** What its pages display, by its setting EVENT_TITLE; undefined where only the board knows it. */
  readonly displayedTitle?: string | undefined;
  /** The venue as unchecked JSON; undefined: the default one, or one that only the board knows. */
  readonly venue?: unknown;
  /** Where it answers on this machine; undefined where only the board knows it. */
  readonly url?: string | undefined;
}

/** The content of gates.json, which a server with an embedded database writes while it runs. */
export interface Announcement {
  readonly url: string;
  /** Connects as the record's role; undefined where the board has no desk. */
  readonly recordUrl: string | undefined;
  readonly pid: number;
  readonly board: ShownEvent | undefined;
  /** Whether the tickets are in this database; otherwise it has the record only. */
  readonly hasTickets: boolean;
}

/** Returns undefined without a gates.json, and an error with the reason where it cannot be read. */
export async function readAnnouncement(folder: string): Promise<Announcement | GatesError | undefined> {
  const path = join(folder, 'gates.json');
  try {
    const { url, recordUrl, pid, board, hasTickets } = JSON.parse(
      await readFile(path, 'utf8'),
    ) as Partial<Announcement> & Pick<Announcement, 'url' | 'pid'>;
    return {
      url,
      recordUrl,
      pid,
      board: board && isDocumentId(board.eventId) ? board : undefined,
      hasTickets: hasTickets !== false,
    };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EACCES')
      return new UnseenError(
        `${path} is for the account that runs the server: use that one, as with sudo -u`,
      );
    return new GatesError(`${path}: ${errorMessage(error)}`);
  }
}

/** A killed server leaves its gates.json behind. */
export function isRunning({ pid }: Announcement): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
