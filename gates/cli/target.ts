import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { candidateFolders } from '../../database/data-folders.ts';
import { refuseUnreplicated } from '../../database/unreplicated-commit.ts';
import { addressOf, hostsProblem, hostUrls } from '../../domain/database-hosts.ts';
import { isRunning, readAnnouncement, type ShownEvent } from './running-board.ts';
import type { Environment } from './command.ts';
import {
  type DatabasePlace,
  diskFull,
  explainDatabaseError,
  type TargetSetting,
  WITHOUT_ROW_SECURITY,
} from './database-errors.ts';
import { isDiskFull } from './disk.ts';
import { GatesError, TryAgainError, UnseenError } from './errors.ts';
import { findPrimaryUrl } from './primary.ts';

/** The database of a command, with the role that the command needs. */
export interface Target extends DatabasePlace {
  /** The connection string with the primary as its one host. */
  readonly url: string;
  /** The connection string with all hosts of the setting. */
  readonly address: string;
  /** Connects as the record's role of the embedded database; undefined without a record, or with another database. */
  readonly recordUrl: string | undefined;
  /** The events of the boards that observe the database now. */
  readonly boards: readonly ShownEvent[];
  /** Whether the tickets of the running board are in this database. */
  readonly hasTickets: boolean;
  /** Whether counters observe it. What their edges show depends on the edges' settings. */
  readonly hasCounters: boolean;
  /** The event of a board that has ended while its embedded database still runs. */
  readonly lastBoard: ShownEvent | undefined;
  /** The titles in the database, by event ID. */
  readonly titles: ReadonlyMap<string, string>;
}

const ANSWER_LIMIT_S = 5;

export interface FindOptions {
  /** `isTriedAgain` of `findPrimaryUrl`. */
  readonly isTriedAgain?: boolean;
  /** False for commands that work without the tickets of the running board. */
  readonly needsTickets?: boolean;
  /** What was found before: another embedded database, as that of a demo, is never taken in its place. */
  readonly before?: Pick<Target, 'folder'> | undefined;
}

/**
 * Finds the database of the setting, else the running embedded one, and names it on stderr.
 *
 * @throws GatesError if it does not answer.
 */
export async function findTarget(
  env: Environment,
  setting: TargetSetting = 'GATES_DATABASE_URL',
  { isTriedAgain = false, needsTickets = setting === 'GATES_DATABASE_URL', before }: FindOptions = {},
): Promise<Target> {
  const given = env[setting]?.trim();
  if (given) return findGiven(given, setting, isTriedAgain);
  if (env['GATES_DATABASE_URL']?.trim()) {
    throw new GatesError(
      `${setting} is not set, and GATES_DATABASE_URL names a server of yours: name the role there that records, as the board's settings do.`,
    );
  }
  const folders = before?.folder === undefined ? candidateFolders(env['DATA_DIR']) : [before.folder];
  return findEmbedded(folders, setting, needsTickets);
}

/** Opens up to `max` connections, whose sessions have these settings. The caller ends them. */
export function connect(
  target: Pick<Target, 'url'>,
  max = 1,
  onClose: (connection: number) => void = () => {},
  // postgres.js reads times in this form alone, which a role or a database may set otherwise.
  settings: Readonly<Record<string, string>> = { DateStyle: 'ISO' },
): postgres.Sql {
  return postgres(target.url, {
    ...addressOf(target.url),
    max,
    connect_timeout: ANSWER_LIMIT_S,
    // By default postgres.js ends old connections, even between two statements of a transaction.
    max_lifetime: null,
    fetch_types: false,
    onnotice: refuseUnreplicated,
    onclose: onClose,
    connection: { application_name: 'triagem gates', ...settings },
  });
}

async function findGiven(address: string, setting: TargetSetting, isTriedAgain: boolean): Promise<Target> {
  const problem = hostsProblem(address);
  if (problem !== undefined) throw new GatesError(`${setting} ${problem}.`);
  if (!hostUrls(address).every(isPostgresUrl)) {
    throw new GatesError(
      `${setting} is no postgres://USER:PASSWORD@HOST:PORT/DATABASE; several hosts are written as HOST1:PORT,HOST2:PORT.`,
    );
  }
  const url = await findPrimaryUrl(address, setting, isTriedAgain);
  const found = await detectBoards(url, setting).catch(async (error: unknown) => {
    throw await explainDatabaseError(error, { folder: undefined, setting });
  });
  process.stderr.write(`Using ${setting} (${new URL(url).host}).\n`);
  const place = { url, address, setting, folder: undefined, recordUrl: undefined, hasTickets: true };
  return { ...place, ...found, lastBoard: undefined };
}

async function findEmbedded(
  folders: readonly string[],
  setting: TargetSetting,
  needsTickets: boolean,
): Promise<Target> {
  const failures: string[] = [];
  let isUnseen = false;
  for (const folder of folders) {
    const announcement = await readAnnouncement(folder);
    if (announcement === undefined) continue;
    if (announcement instanceof GatesError) {
      failures.push(announcement.message);
      isUnseen ||= announcement instanceof UnseenError;
      continue;
    }
    const { board, recordUrl, hasTickets } = announcement;
    const url = setting === 'RECORD_DATABASE_URL' ? recordUrl : announcement.url;
    const runs = isRunning(announcement);
    if (url === undefined || (needsTickets && !hasTickets)) {
      const problem =
        url === undefined
          ? `the board of ${folder} keeps no record: start it with DESK_KEY set`
          : `the board of ${folder} counts tickets in Firestore, and keeps its record alone here: tickets are written there, not with this tool`;
      if (runs) throw new GatesError(`${problem.replace('the', 'The')}.`);
      failures.push(problem);
      continue;
    }
    let found: DetectedBoards;
    try {
      found = await detectBoards(url, setting);
    } catch (error) {
      const { message } = await explainDatabaseError(error, { folder, setting });
      // The database of a running board is the one that is meant.
      if (runs) throw new TryAgainError(message);
      failures.push(message.replace(/\.$/, ''));
      continue;
    }
    process.stderr.write(`Using the database in ${folder} (port ${new URL(url).port}).\n`);
    const event = board && titled(board, found.titles);
    const place = { url, address: url, setting, folder, recordUrl, hasTickets };
    if (!runs || !event) return { ...place, ...found, lastBoard: event };
    // Other boards may observe the same database.
    const others = found.boards.filter(({ eventId }) => eventId !== event.eventId);
    return { ...place, ...found, boards: [event, ...others], lastBoard: undefined };
  }
  const reason = await explainNoneFound(folders, failures, setting);
  throw isUnseen ? new UnseenError(reason) : new TryAgainError(reason);
}

async function explainNoneFound(
  folders: readonly string[],
  failures: readonly string[],
  setting: TargetSetting,
): Promise<string> {
  for (const folder of folders) {
    // A full disk keeps a board from starting.
    if (existsSync(join(folder, 'cluster')) && (await isDiskFull(folder))) {
      return `No running embedded database was found. ${diskFull({ folder, setting })}`;
    }
  }
  if (failures.length > 0)
    return `No embedded database can be used here: ${failures.join('; ')}; or set ${setting}.`;
  return (
    `No running embedded database was found in ${folders.join(', ')}. Start the board, with "npm start" or as its ` +
    `service; if one runs elsewhere, set DATA_DIR to its folder; or set ${setting}.`
  );
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

type DetectedBoards = Pick<Target, 'boards' | 'hasCounters' | 'titles'>;

async function detectBoards(url: string, setting: TargetSetting): Promise<DetectedBoards> {
  const sql = connect({ url });
  try {
    const titles = await readTitles(sql);
    const names = await readObservers(sql);
    if (setting === 'GATES_DATABASE_URL') await warnOfRowSecurity(sql);
    const boards = names.flatMap((name) => {
      const [, eventId] = BOARD_NAME.exec(name) ?? [];
      return eventId === undefined ? [] : [titled({ eventId, title: undefined }, titles)];
    });
    return { boards, hasCounters: names.includes(COUNTER_NAME), titles };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const BOARD_NAME = /^triagem board ([0-9a-fA-F]{32})$/;
const COUNTER_NAME = 'triagem counter';

/** Returns the distinct application names of the sessions that observe this database. */
async function readObservers(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct application_name as name from pg_catalog.pg_stat_activity
    where datname = current_database() and application_name ~ '^triagem (board|counter)' order by 1`;
  return rows.map(({ name }) => name);
}

async function warnOfRowSecurity(sql: postgres.Sql): Promise<void> {
  const [tickets] = await sql<[{ areHidden: boolean | null }]>`
    select row_security_active(to_regclass('public.tickets')) as "areHidden"`;
  if (tickets.areHidden === true)
    process.stderr.write(`Row security may hide tickets from this role: ${WITHOUT_ROW_SECURITY}.\n`);
}

/** Returns no titles where the table is missing, or not readable by this role. */
async function readTitles(sql: postgres.Sql): Promise<ReadonlyMap<string, string>> {
  const [table] = await sql<{ isReadable: boolean }[]>`
    select coalesce(has_table_privilege(to_regclass('public.event_details'), 'select'), false) as "isReadable"`;
  if (table?.isReadable !== true) return new Map();
  const rows = await sql<{ eventId: string; title: string }[]>`
    select event_id as "eventId", title from public.event_details`;
  return new Map(rows.map(({ eventId, title }) => [eventId, title]));
}

/** The event is named by its own title, the board displays that of its setting. */
function titled(board: ShownEvent, titles: ReadonlyMap<string, string>): ShownEvent {
  return { ...board, title: titles.get(board.eventId) ?? board.title, displayedTitle: board.title };
}
