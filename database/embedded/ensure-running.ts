import { quoteIdentifier, withConnection } from '../with-connection.ts';
import { EMBEDDED_NAMES } from './cluster-files.ts';
import { assertPortFree, type Cluster } from './cluster.ts';
import { freePort } from './free-port.ts';
import { scramVerifier } from '../scram-verifier.ts';
import type { Secrets } from './secrets.ts';
import { DatabaseSetupError, errorCode, errorMessage } from '../setup-error.ts';

/**
 * Ensures that the cluster's server runs on `port` (0: a free one) and returns its port. A server that outlived its Node
 * (kill -9) is taken over if it answers and has the same settings; otherwise it is stopped first.
 */
export async function ensureRunning(
  cluster: Cluster,
  options: {
    readonly port: number;
    readonly settings: Readonly<Record<string, string>>;
    readonly superuserPassword: string;
    readonly log: (line: string) => void;
    /** For `Cluster.start`. */
    readonly signal?: AbortSignal | undefined;
  },
): Promise<number> {
  const { port, settings, log, signal } = options;
  const orphan = await cluster.running();
  if (orphan) {
    const wanted = port === 0 || port === orphan.port;
    if (
      wanted &&
      (await cluster.hasSettings(orphan.port, settings)) &&
      (await isResponding(orphan.port, options))
    ) {
      log(`taking over the PostgreSQL that still runs (process ${orphan.pid})`);
      return orphan.port;
    }
    log(`stopping the PostgreSQL that still runs (process ${orphan.pid})`);
    await cluster.stop(log);
  }
  if (port !== 0) await assertPortFree(port);
  const chosen = port === 0 ? await freePort() : port;
  await cluster.start(chosen, settings, signal);
  return chosen;
}

/** Creates the owner and the database, as only the superuser can. */
export async function ensureDatabase(port: number, secrets: Secrets): Promise<void> {
  const { owner, database } = EMBEDDED_NAMES;
  try {
    await withConnection(superuserUrl(port, secrets.superuser), async (sql) => {
      const [has] = await sql<{ owner: boolean; database: boolean }[]>`
        select exists (select from pg_roles where rolname = ${owner}) as owner,
          exists (select from pg_database where datname = ${database}) as database`;
      if (!has?.owner) {
        // REPLICATION, so that it may give it to the observer; pg_hba.conf lets nobody replicate physically.
        await sql.unsafe(
          `create role ${quoteIdentifier(owner)} login createrole replication password '${scramVerifier(secrets.owner)}'`,
        );
      }
      if (!has?.database) {
        await sql.unsafe(`create database ${quoteIdentifier(database)} owner ${quoteIdentifier(owner)}`);
      }
    });
  } catch (error) {
    if (errorCode(error) !== '28P01') throw error;
    throw new DatabaseSetupError(
      `The passwords in secrets.json are not those of the database beside it (${errorMessage(error)}).`,
      'Put the secrets.json of this data folder back from a backup.',
      { cause: error },
    );
  }
}

async function isResponding(
  port: number,
  { superuserPassword }: { superuserPassword: string },
): Promise<boolean> {
  const limit = new Promise<boolean>((resolve) => {
    setTimeout(resolve, ANSWER_LIMIT_MS, false).unref();
  });
  const answer = withConnection(superuserUrl(port, superuserPassword), (sql) => sql`select 1`).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, limit]);
}

const ANSWER_LIMIT_MS = 2_000;

function superuserUrl(port: number, password: string): string {
  return `postgres://${EMBEDDED_NAMES.superuser}:${password}@127.0.0.1:${port}/postgres`;
}
