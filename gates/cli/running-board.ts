import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDocumentId } from '../../domain/event.ts';
import type { Environment } from './command.ts';
import { errorCode, errorMessage } from './errors.ts';

/** What a board shows. */
export interface ShownEvent {
  readonly eventId: string;
  /** As on the screen; undefined where only the board knows it. */
  readonly title: string | undefined;
  /** As plain JSON, not checked; undefined where only the board knows it. */
  readonly venue?: unknown;
}

/** What a server with an embedded database says of itself in gates.json, for as long as it runs. */
export interface Announcement {
  readonly url: string;
  /** Of the role that adds to the record; undefined where the board has no desk. */
  readonly recordUrl: string | undefined;
  readonly pid: number;
  readonly board: ShownEvent | undefined;
  /** False: the board counts tickets that are elsewhere, and this database has its record alone. */
  readonly hasTickets: boolean;
}

/** The folders in which a running server leaves gates.json, the likeliest first. */
export function candidateFolders(env: Environment): string[] {
  const given = env['DATA_DIR']?.trim();
  const bases = given
    ? [resolve(given)]
    : [join(projectRoot(import.meta.dirname), '.triagem'), '/var/lib/triagem'];
  return bases.flatMap((base) => [base, join(base, 'demo')]);
}

function projectRoot(from: string): string {
  if (existsSync(join(from, 'package.json')) || dirname(from) === from) return from;
  return projectRoot(dirname(from));
}

/** Undefined where no server has left one. A string says why it cannot be read. */
export async function readAnnouncement(folder: string): Promise<Announcement | string | undefined> {
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
      return `${path} is for the account that runs the server: use that one, as with sudo -u`;
    return `${path}: ${errorMessage(error)}`;
  }
}

/** A server that was killed leaves its announcement behind. */
export function isRunning({ pid }: Announcement): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
