import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { addressOf, hostsProblem, hostUrls } from '../../domain/database-hosts.ts';
import { candidateFolders, isRunning, readAnnouncement, type ShownEvent } from './running-board.ts';
import type { Environment } from './command.ts';
import { diskFull, explainDatabaseError, type TargetSetting } from './database-errors.ts';
import { isDiskFull } from './disk.ts';
import { GatesError, TryAgainError } from './errors.ts';
import { findPrimaryUrl } from './primary.ts';

/** The database that a command works in, as the role that it needs. */
export interface Target {
  /** With one host, the primary. */
  readonly url: string;
  /** As the setting names it, with all its hosts; that of the embedded database. */
  readonly address: string;
  /** What names it, unless it is the embedded one. */
  readonly setting: TargetSetting;
  /** Where the embedded database keeps its files; undefined where the setting names another. */
  readonly folder: string | undefined;
  /** Of the record's role in the embedded database; undefined where there is no record, or the setting names another. */
  readonly recordUrl: string | undefined;
  /** What the boards show that observe it now. */
  readonly boards: readonly ShownEvent[];
  /** False: the board that runs here counts tickets that are elsewhere. */
  readonly hasTickets: boolean;
  /** Counters observe it for edges, which show what their own settings say. */
  readonly hasCounters: boolean;
  /** Whose board has ended, and left the database running. */
  readonly lastBoard: ShownEvent | undefined;
  /** What the database says of its events: their titles by ID. */
  readonly titles: ReadonlyMap<string, string>;
}

const ANSWER_LIMIT_S = 5;

export interface FindOptions {
  /** As of findPrimaryUrl. */
  readonly isTriedAgain?: boolean;
  /** Default: true. False: it is also of use where the tickets of the running board are elsewhere. */
  readonly needsTickets?: boolean;
}

/**
 * What the setting names, else the embedded database that runs. Says on stderr which.
 *
 * @throws GatesError if it does not answer.
 */
export async function findTarget(
  env: Environment,
  setting: TargetSetting = 'GATES_DATABASE_URL',
  { isTriedAgain = false, needsTickets = setting === 'GATES_DATABASE_URL' }: FindOptions = {},
): Promise<Target> {
  const given = env[setting]?.trim();
  if (given) return findGiven(given, setting, isTriedAgain);
  if (env['GATES_DATABASE_URL']?.trim()) {
    throw new GatesError(
      `${setting} is not set, and GATES_DATABASE_URL names a server of yours: name the role there that records, as the board's settings do.`,
    );
  }
  return findEmbedded(env, setting, needsTickets);
}

/** Connections of the gates; `max` work at the same time. Whoever opens them ends them. */
export function connect(
  target: Pick<Target, 'url'>,
  max = 1,
  onClose: (connection: number) => void = () => {},
): postgres.Sql {
  return postgres(target.url, {
    ...addressOf(target.url),
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

async function findGiven(address: string, setting: TargetSetting, isTriedAgain: boolean): Promise<Target> {
  const problem = hostsProblem(address);
  if (problem !== undefined) throw new GatesError(`${setting} ${problem}.`);
  if (!hostUrls(address).every(isPostgresUrl)) {
    throw new GatesError(
      `${setting} is no postgres://USER:PASSWORD@HOST:PORT/DATABASE; several hosts are written as HOST1:PORT,HOST2:PORT.`,
    );
  }
  const url = await findPrimaryUrl(address, setting, isTriedAgain);
  const found = await lookAround(url).catch(async (error: unknown) => {
    throw await explainDatabaseError(error, { folder: undefined, setting });
  });
  say(`Using ${setting} (${new URL(url).host}).`);
  const place = { url, address, setting, folder: undefined, recordUrl: undefined, hasTickets: true };
  return { ...place, ...found, lastBoard: undefined };
}

async function findEmbedded(
  env: Environment,
  setting: TargetSetting,
  needsTickets: boolean,
): Promise<Target> {
  const folders = candidateFolders(env);
  const failures: string[] = [];
  for (const folder of folders) {
    const announcement = await readAnnouncement(folder);
    if (announcement === undefined) continue;
    if (typeof announcement === 'string') {
      failures.push(announcement);
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
    let found: Surroundings;
    try {
      found = await lookAround(url);
    } catch (error) {
      const { message } = await explainDatabaseError(error, { folder, setting });
      // Nothing is to be looked for elsewhere.
      if (runs) throw new TryAgainError(message);
      failures.push(message.replace(/\.$/, ''));
      continue;
    }
    say(`Using the database in ${folder} (port ${new URL(url).port}).`);
    const shown = board && titled(board, found.titles);
    const place = { url, address: url, setting, folder, recordUrl, hasTickets };
    if (!runs || !shown) return { ...place, ...found, lastBoard: shown };
    // Others may observe its database, too.
    const others = found.boards.filter(({ eventId }) => eventId !== shown.eventId);
    return { ...place, ...found, boards: [shown, ...others], lastBoard: undefined };
  }
  throw new TryAgainError(await explainNoneFound(folders, failures, setting));
}

async function explainNoneFound(
  folders: readonly string[],
  failures: readonly string[],
  setting: TargetSetting,
): Promise<string> {
  for (const folder of folders) {
    // What keeps a board from starting here.
    if (existsSync(join(folder, 'cluster')) && (await isDiskFull(folder))) {
      return `No running embedded database was found. ${diskFull({ folder, setting })}`;
    }
  }
  if (failures.length > 0)
    return `No embedded database that can be used runs: ${failures.join('; ')}; or set ${setting}.`;
  return (
    `No running embedded database was found in ${folders.join(', ')}. Start one with "npm start" or "npm run demo"; ` +
    `if one runs elsewhere, set DATA_DIR to its folder; or set ${setting}.`
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

type Surroundings = Pick<Target, 'boards' | 'hasCounters' | 'titles'>;

async function lookAround(url: string): Promise<Surroundings> {
  const sql = connect({ url });
  try {
    const titles = await readTitles(sql);
    const names = await readObservers(sql);
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

/** The names of the sessions that observe this database, each once. */
async function readObservers(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct application_name as name from pg_catalog.pg_stat_activity
    where datname = current_database() and application_name ~ '^triagem (board|counter)' order by 1`;
  return rows.map(({ name }) => name);
}

/** None where the table is not there, or not this role's to read. */
async function readTitles(sql: postgres.Sql): Promise<ReadonlyMap<string, string>> {
  const [table] = await sql<{ isReadable: boolean }[]>`
    select coalesce(has_table_privilege(to_regclass('public.event_details'), 'select'), false) as "isReadable"`;
  if (table?.isReadable !== true) return new Map();
  const rows = await sql<{ eventId: string; title: string }[]>`
    select event_id as "eventId", title from public.event_details`;
  return new Map(rows.map(({ eventId, title }) => [eventId, title]));
}

/** What was said of the event wins over what the screen is headed. */
function titled(board: ShownEvent, titles: ReadonlyMap<string, string>): ShownEvent {
  return { ...board, title: titles.get(board.eventId) ?? board.title };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
