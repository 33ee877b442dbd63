import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { candidateFolders, isRunning, readAnnouncement, type ShownEvent } from './running-board.ts';
import type { Environment } from './command.ts';
import { diskFull, explainDatabaseError } from './database-errors.ts';
import { isDiskFull } from './disk.ts';
import { GatesError, TryAgainError } from './errors.ts';

/** The database that the gates write to. */
export interface Target {
  readonly url: string;
  /** Where the embedded database keeps its files; undefined for GATES_DATABASE_URL. */
  readonly folder: string | undefined;
  /** What the boards show that observe it now. */
  readonly boards: readonly ShownEvent[];
  /** Whose board has ended, and left the database running. */
  readonly lastBoard: ShownEvent | undefined;
}

const ANSWER_LIMIT_S = 5;

/** GATES_DATABASE_URL, else the embedded database that runs. Says on stderr which. @throws GatesError if it does not answer. */
export async function findTarget(env: Environment): Promise<Target> {
  const given = env['GATES_DATABASE_URL']?.trim();
  return given ? findGiven(given) : findEmbedded(env);
}

/** Connections of the gates; `max` work at the same time. Whoever opens them ends them. */
export function connect(
  target: Pick<Target, 'url'>,
  max = 1,
  onClose: (connection: number) => void = () => {},
): postgres.Sql {
  return postgres(target.url, {
    max,
    connect_timeout: ANSWER_LIMIT_S,
    // The library would else end a connection after a while, between two statements of a transaction, too.
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    onclose: onClose,
    connection: { application_name: 'triagem gates' },
  });
}

async function findGiven(url: string): Promise<Target> {
  if (!isPostgresUrl(url)) {
    throw new GatesError(
      'GATES_DATABASE_URL is no postgres://USER:PASSWORD@HOST:PORT/DATABASE, with one host, the primary.',
    );
  }
  const boards = await queryBoards(url).catch(async (error: unknown) => {
    throw await explainDatabaseError(error, { folder: undefined });
  });
  say(`Using GATES_DATABASE_URL (${new URL(url).host}).`);
  return { url, folder: undefined, boards, lastBoard: undefined };
}

async function findEmbedded(env: Environment): Promise<Target> {
  const folders = candidateFolders(env);
  const failures: string[] = [];
  for (const folder of folders) {
    const announcement = await readAnnouncement(folder);
    if (announcement === undefined) continue;
    if (typeof announcement === 'string') {
      failures.push(announcement);
      continue;
    }
    const { url, board } = announcement;
    const runs = isRunning(announcement);
    try {
      await queryBoards(url);
    } catch (error) {
      const { message } = await explainDatabaseError(error, { folder });
      // Nothing is to be looked for elsewhere.
      if (runs) throw new TryAgainError(message);
      failures.push(message.replace(/\.$/, ''));
      continue;
    }
    say(`Using the database in ${folder} (port ${new URL(url).port}).`);
    return runs
      ? { url, folder, boards: board ? [board] : [], lastBoard: undefined }
      : { url, folder, boards: [], lastBoard: board };
  }
  throw new TryAgainError(await explainNoneFound(folders, failures));
}

async function explainNoneFound(folders: readonly string[], failures: readonly string[]): Promise<string> {
  for (const folder of folders) {
    // What keeps a board from starting here.
    if (existsSync(join(folder, 'cluster')) && (await isDiskFull(folder))) {
      return `No embedded database runs. ${diskFull(folder)}`;
    }
  }
  const details = failures.length > 0 ? ` (${failures.join('; ')})` : ` (looked in ${folders.join(', ')})`;
  return `No embedded database runs${details}. Start one with "npm start" or "npm run demo", or set GATES_DATABASE_URL.`;
}

function isPostgresUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname } = new URL(text);
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    return false;
  }
  return /^postgres(ql)?:$/.test(protocol);
}

/** The events of the boards that observe this database, as the names of their sessions say. */
async function queryBoards(url: string): Promise<ShownEvent[]> {
  const sql = connect({ url });
  try {
    const rows = await sql<{ eventId: string }[]>`
      select distinct substring(application_name from '^triagem board ([0-9a-fA-F]{32})$') as "eventId"
      from pg_catalog.pg_stat_activity
      where datname = current_database() and application_name ~ '^triagem board [0-9a-fA-F]{32}$' order by 1`;
    return rows.map(({ eventId }) => ({ eventId, title: undefined }));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
