import type postgres from 'postgres';
import { quoteIdentifier, SEARCH_PATH, withConnection } from '../with-connection.ts';
import { assertServerUsable, OWNER_PLACE } from './preconditions.ts';
import { assertPublicationOurs, dropWrongPublication, ensureObservable } from './publication.ts';
import { readOwner } from './owner.ts';
import { ensureGates, ensureLogins, ensureObserver, type Login } from './roles.ts';
import { applySchema } from './schema-files.ts';
import { assertTablesUsable } from './tables.ts';
import type { Step } from './step.ts';
import { DatabaseSetupError, errorCode, errorMessage } from '../setup-error.ts';
import { connectionFault, setupError } from '../connection-fault.ts';

/**
 * Prepares a database for Triagem: schema, publication and replica identity, roles. Whatever is in place stays as it is,
 * so that it can be run again at any time. Says each thing in one line.
 *
 * @throws DatabaseSetupError with the statement or setting that fixes what it may not fix itself.
 */
export async function migrate(options: {
  readonly ownerUrl: string;
  readonly observerUrl: string;
  readonly gatesUrl: string | undefined;
  readonly log: (line: string) => void;
}): Promise<void> {
  await prepare(options, ({ what, done }) => {
    options.log(`${what}: ${done ? 'done' : 'already there'}`);
  });
}

/** As `migrate`, reporting each step to a function. */
export async function prepare(
  urls: { readonly ownerUrl: string; readonly observerUrl: string; readonly gatesUrl: string | undefined },
  report: (step: Step) => void,
): Promise<void> {
  const observer = readLogin(urls.observerUrl, 'DATABASE_URL');
  const gates = urls.gatesUrl === undefined ? undefined : readLogin(urls.gatesUrl, 'GATES_DATABASE_URL');
  assertSameDatabase(urls);
  if (observer.name === gates?.name) {
    throw new DatabaseSetupError(
      `DATABASE_URL and GATES_DATABASE_URL name the same role, ${quoteIdentifier(observer.name)}.`,
      'Name two: the observer must not be able to write tickets.',
    );
  }
  try {
    await withConnection(
      urls.ownerUrl,
      (sql) => prepareAll(sql, observer, gates, report).catch((error) => nameOwner(sql, error)),
      {
        // Waiting for a lock on tickets makes every writer behind us wait as well.
        lock_timeout: '10s',
        search_path: SEARCH_PATH,
      },
    );
  } catch (error) {
    throw explain(error);
  }
}

async function prepareAll(
  sql: postgres.Sql,
  observer: Login,
  gates: Login | undefined,
  report: (step: Step) => void,
): Promise<void> {
  // First: a pooler would keep the lock below after we are gone.
  await assertServerUsable(sql);
  // Two at the same time: the second waits, then finds everything in place. The connection's end lets go of it.
  await sql`select pg_advisory_lock(hashtext('triagem'), hashtext('migrate'))`;
  await assertPublicationOurs(sql);
  await assertTablesUsable(sql);
  await ensureLogins(sql, observer, gates, report);
  await dropWrongPublication(sql);
  await applySchema(sql, report);
  await ensureObservable(sql, report);
  await ensureObserver(sql, observer, report);
  if (gates) await ensureGates(sql, gates, report);
}

function readLogin(url: string, setting: string): Login {
  const { username, password } = new URL(url);
  if (username === '') {
    throw new DatabaseSetupError(
      `${setting} names no user.`,
      `Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE; the user is created with that password.`,
    );
  }
  return { setting, name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function assertSameDatabase(urls: {
  ownerUrl: string;
  observerUrl: string;
  gatesUrl: string | undefined;
}): void {
  const database = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1));
  const owner = database(urls.ownerUrl);
  for (const [setting, url] of Object.entries({
    DATABASE_URL: urls.observerUrl,
    GATES_DATABASE_URL: urls.gatesUrl,
  })) {
    if (url === undefined || database(url) === owner) continue;
    throw new DatabaseSetupError(
      `MIGRATE_DATABASE_URL names the database ${quoteIdentifier(owner || 'none')}, ${setting} the database ${quoteIdentifier(database(url) || 'none')}.`,
      'All must name the same one.',
    );
  }
}

/** Rethrows; for a missing right, with the role that has it. */
async function nameOwner(sql: postgres.Sql, error: unknown): Promise<never> {
  if (errorCode(error) !== '42501') throw error;
  throw new DatabaseSetupError(
    `The user of MIGRATE_DATABASE_URL has not the right to do this: ${errorMessage(error)}.`,
    `Let it name ${await readOwner(sql)}, or a superuser.`,
    { cause: error },
  );
}

function explain(error: unknown): unknown {
  if (error instanceof DatabaseSetupError) return error;
  switch (errorCode(error)) {
    case '55P03':
      return new DatabaseSetupError(
        'A transaction has held a lock on the tables for 10 s, and a migration that waited longer would hold up the gates.',
        'Run it again when that transaction has ended (see pg_stat_activity).',
        { cause: error },
      );
    default: {
      const fault = connectionFault(error, OWNER_PLACE);
      return fault ? setupError(fault, error) : error;
    }
  }
}
