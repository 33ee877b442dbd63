import type postgres from 'postgres';
import { hostUrls } from '../../domain/database-hosts.ts';
import { quoteIdentifier, SEARCH_PATH, withConnection } from '../with-connection.ts';
import type { DatabaseRoles } from './database-roles.ts';
import { assertServerUsable, OWNER_PLACE } from './preconditions.ts';
import { assertPublicationOurs, dropWrongPublication, ensureObservable } from './publication.ts';
import { readOwner } from './owner.ts';
import { findPrimaryUrl } from '../primary/primary-watch.ts';
import { assertPrimaries } from './primaries.ts';
import { assertMayRecord, ensureRecorder } from './record-role.ts';
import { ensureGates, ensureLogins, ensureObserver, type Login } from './roles.ts';
import { applySchema } from './schema-files.ts';
import { assertTablesUsable } from './tables.ts';
import type { Step } from './step.ts';
import { DatabaseSetupError, errorCode, errorMessage } from '../setup-error.ts';
import { connectionFault, setupError } from '../connection-fault.ts';

/**
 * Prepares a database for Triagem: schema, publication and replica identity, roles. It keeps what is in place, so that it can
 * be run again at any time, and logs each step in one line.
 *
 * @throws DatabaseSetupError with the statement or setting that fixes what it may not fix itself.
 */
export async function migrate(
  options: DatabaseRoles & { readonly log: (line: string) => void },
): Promise<void> {
  const ownerUrl = await findPrimaryUrl(options.ownerUrl, OWNER_PLACE).catch((error: unknown) => {
    throw explain(error);
  });
  const urls = { ...options, ownerUrl };
  await assertPrimaries(urls);
  await prepare(urls, ({ what, done }) => {
    options.log(`${what}: ${done ? 'done' : 'already there'}`);
  });
  // Roles that could not log in before may do so now.
  await assertPrimaries(urls);
}

/** Does what `migrate` does, and reports each step to a function. `ownerUrl` has one host. */
export async function prepare(urls: DatabaseRoles, report: (step: Step) => void): Promise<void> {
  const observer = urls.observerUrl === undefined ? undefined : readLogin(urls.observerUrl, 'DATABASE_URL');
  const gates = urls.gatesUrl === undefined ? undefined : readLogin(urls.gatesUrl, 'GATES_DATABASE_URL');
  const record = urls.recordUrl === undefined ? undefined : readLogin(urls.recordUrl, 'RECORD_DATABASE_URL');
  assertSameDatabase(urls);
  assertDifferentRoles({ observer, gates, record });
  try {
    await withConnection(
      urls.ownerUrl,
      (sql) => prepareAll(sql, { observer, gates, record }, report).catch((error) => nameOwner(sql, error)),
      {
        // While this waits for a lock on tickets, every later writer waits as well.
        lock_timeout: '10s',
        search_path: SEARCH_PATH,
      },
    );
  } catch (error) {
    throw explain(error);
  }
}

interface Logins {
  /** `undefined`: nothing is observed, and the database has the record alone. */
  readonly observer: Login | undefined;
  readonly gates: Login | undefined;
  readonly record: Login | undefined;
}

async function prepareAll(
  sql: postgres.Sql,
  { observer, gates, record }: Logins,
  report: (step: Step) => void,
): Promise<void> {
  // Checked first: a pooler would keep the lock below after our end.
  await assertServerUsable(sql, { isObserved: observer !== undefined });
  // A second migration at the same time waits, then finds everything in place. The connection's end releases the lock.
  await sql`select pg_advisory_lock(hashtext('triagem'), hashtext('migrate'))`;
  if (observer) await assertPublicationOurs(sql);
  await assertTablesUsable(sql);
  if (record) await assertMayRecord(sql, record);
  await ensureLogins(
    sql,
    observer,
    [gates, record].filter((login) => login !== undefined),
    report,
  );
  if (observer) await dropWrongPublication(sql);
  await applySchema(sql, { hasRecord: record !== undefined }, report);
  if (observer) {
    await ensureObservable(sql, report);
    await ensureObserver(sql, observer, report);
  }
  if (gates) await ensureGates(sql, gates, report);
  if (record) await ensureRecorder(sql, record, report);
}

function readLogin(url: string, setting: string): Login {
  const { username, password } = withOneHost(url);
  if (username === '') {
    throw new DatabaseSetupError(
      `${setting} names no user.`,
      `Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE; the user is created with that password.`,
    );
  }
  return { setting, name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** User and database are those of any of the hosts. */
function withOneHost(url: string): URL {
  return new URL(hostUrls(url)[0] ?? url);
}

function assertDifferentRoles({ observer, gates, record }: Logins): void {
  const refuse = (one: Login, other: Login | undefined, why: string): void => {
    if (one.name !== other?.name) return;
    throw new DatabaseSetupError(
      `${one.setting} and ${other.setting} name the same role, ${quoteIdentifier(one.name)}.`,
      `Name two: ${why}.`,
    );
  };
  if (observer) {
    refuse(observer, gates, 'the observer must not be able to write tickets');
    refuse(observer, record, 'the observer writes nothing');
  }
  if (gates) refuse(gates, record, 'the record is no gate, and must not be able to write tickets');
}

function assertSameDatabase(urls: DatabaseRoles): void {
  const database = (url: string): string => decodeURIComponent(withOneHost(url).pathname.slice(1));
  const owner = database(urls.ownerUrl);
  for (const [setting, url] of Object.entries({
    DATABASE_URL: urls.observerUrl,
    GATES_DATABASE_URL: urls.gatesUrl,
    RECORD_DATABASE_URL: urls.recordUrl,
  })) {
    if (url === undefined || database(url) === owner) continue;
    throw new DatabaseSetupError(
      `MIGRATE_DATABASE_URL names the database ${quoteIdentifier(owner || 'none')}, ${setting} the database ${quoteIdentifier(database(url) || 'none')}.`,
      'All must name the same one.',
    );
  }
}

/** Rethrows; an error of a missing right names the role that has it. */
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
