import type postgres from 'postgres';
import { compareChanging, type Texts } from '../../../domain/compare-changing.ts';
import { DIGESTS_FUNCTION } from '../../../domain/connection-marks.ts';
import { readDigests, tableOfDigest } from '../../../database/row-digests.ts';
import { errorMessage } from '../../../database/setup-error.ts';
import { quoteIdentifier } from '../../../database/with-connection.ts';
import type { SourceWatch } from './source-watch.ts';
import type { Subscription } from './subscriptions.ts';

/** Copies that differ, or could not be compared, are compared again this often: somebody may mend them. */
const AGAIN_MS = 10_000;

/** The copied tables of a connection here, and the query that reads the same at their source. */
interface CopiesHere {
  readonly query: string;
  readonly digests: Texts;
}

/** Reads the copies of a subscription, by its name. */
export type ReadCopies = (name: string) => Promise<CopiesHere>;

interface Found {
  /** `undefined`: all copies are the same. */
  readonly fault: string | undefined;
  readonly atMs: number;
}

/**
 * Compares the tables that `gates -- connect` copies with their source, once in each session with our database. Before it, that
 * database may have gone back to an earlier state, as a cold copy that is put back, or a standby that lacked the last commits:
 * the source does not send again what was confirmed to it, and every later position looks right.
 */
export class SourceComparison {
  /** What was found last, by subscription. */
  readonly #found = new Map<number, Found>();
  #read: ReadCopies | undefined;

  /** Another session with our database begins. */
  begin(read: ReadCopies): void {
    this.#found.clear();
    this.#read = read;
  }

  /** Why the copies of a subscription may not be those of their source; `undefined`: they are, or it has none. */
  faultOf({ id, copies }: Subscription): string | undefined {
    if (copies.length === 0) return undefined;
    const found = this.#found.get(id);
    return found ? found.fault : 'its tables are being compared with their source';
  }

  /** Compares them where that is due. Never rejects: where they cannot be compared now, `faultOf` has the reason. */
  async compare(subscription: Subscription, source: SourceWatch): Promise<void> {
    const { id, name, slot } = subscription;
    const read = this.#read;
    if (!read || slot === null || this.faultOf(subscription) === undefined) return;
    if (performance.now() < (this.#found.get(id)?.atMs ?? -Infinity) + AGAIN_MS) return;
    const fault = await findDifference(() => read(name), slot, source).catch(
      (error: unknown) => `its tables cannot be compared with their source: ${errorMessage(error)}`,
    );
    this.#found.set(id, { fault, atMs: performance.now() });
  }
}

/** Returns what is wrong with the copies; undefined: they are those of the source. */
async function findDifference(
  read: () => Promise<CopiesHere>,
  slot: string,
  source: SourceWatch,
): Promise<string | undefined> {
  const { query } = await read();
  const { differences } = await compareChanging({
    readThere: () => source.read((sql) => readDigests(sql, query)),
    readHere: () => read().then(({ digests }) => digests),
    untilHere: () => source.untilConfirmed(slot),
  });
  const tables = [...new Set(differences.map(({ key }) => tableOfDigest(key)))];
  if (tables.length === 0) return undefined;
  return `what is here of ${tables.join(', ')} is not what the source has, as where this database was put back to an earlier copy, or a standby took over that lacked the last commits: "npm run -s gates -- compare --repair" mends that`;
}

/** Returns a reader of the copies in a database. */
export function copiesIn(sql: postgres.Sql): ReadCopies {
  return async (name) => {
    const [row] = await sql<{ query: string }[]>`
      select p.prosrc as query from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = ${name} and p.proname = ${DIGESTS_FUNCTION}`;
    if (!row)
      throw new Error(
        'an earlier version has copied them: "npm run -s gates -- connect", with the name of the system, copies them anew',
      );
    const digests = await readDigests(
      sql,
      `select key, digest from ${quoteIdentifier(name)}.${DIGESTS_FUNCTION}()`,
    );
    return { query: row.query, digests };
  };
}
