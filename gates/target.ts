import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import postgres from 'postgres';
import type { Environment } from './command.ts';
import { errorMessage, GatesError } from './errors.ts';

/** The database that the gates write to. */
export interface Target {
  readonly url: string;
  /** Where the embedded database keeps its files; undefined for GATES_DATABASE_URL. */
  readonly folder: string | undefined;
}

const ANSWER_LIMIT_S = 5;

/** GATES_DATABASE_URL, else the embedded database that runs. Says on stderr which. @throws GatesError if it does not answer. */
export async function findTarget(env: Environment): Promise<Target> {
  const given = env['GATES_DATABASE_URL']?.trim();
  if (given) {
    if (!isPostgresUrl(given)) {
      throw new GatesError('GATES_DATABASE_URL is no postgres://USER:PASSWORD@HOST:PORT/DATABASE.');
    }
    const failure = await whyNoAnswer(given);
    if (failure) throw new GatesError(`The database of GATES_DATABASE_URL does not answer: ${failure}.`);
    say(`Using GATES_DATABASE_URL (${new URL(given).host}).`);
    return { url: given, folder: undefined };
  }
  const folders = dataFolders(env);
  const failures: string[] = [];
  for (const folder of folders) {
    const found = await readAnnouncement(folder);
    if (found.url === undefined) {
      if (found.failure) failures.push(found.failure);
      continue;
    }
    const failure = await whyNoAnswer(found.url);
    if (failure === undefined) {
      say(`Using the database in ${folder} (port ${new URL(found.url).port}).`);
      return { url: found.url, folder };
    }
    failures.push(`the one in ${folder} does not answer: ${failure}`);
  }
  const details = failures.length > 0 ? ` (${failures.join('; ')})` : ` (looked in ${folders.join(', ')})`;
  throw new GatesError(
    `No embedded database runs${details}. Start one with "npm start" or "npm run demo", or set GATES_DATABASE_URL.`,
  );
}

/** Connections of the gates; `max` work at the same time. Whoever opens them ends them. */
export function connect(target: Target, max = 1): postgres.Sql {
  return postgres(target.url, {
    max,
    connect_timeout: ANSWER_LIMIT_S,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'triagem gates' },
  });
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

/** The folders in which a running server leaves gates.json, the likeliest first. */
function dataFolders(env: Environment): string[] {
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

async function readAnnouncement(folder: string): Promise<{ url?: string; failure?: string }> {
  const path = join(folder, 'gates.json');
  try {
    const { url } = JSON.parse(await readFile(path, 'utf8')) as { url: string };
    return { url };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    if (code === 'EACCES')
      return { failure: `${path} is for the account that runs the server: use that one` };
    return { failure: `${path}: ${errorMessage(error)}` };
  }
}

async function whyNoAnswer(url: string): Promise<string | undefined> {
  const sql = connect({ url, folder: undefined });
  try {
    await sql`select 1`;
    return undefined;
  } catch (error) {
    return errorMessage(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
