import type postgres from 'postgres';
import { compareChanging, type Texts } from '../../../domain/compare-changing.ts';
import { type ComparedTable, readDigests, tablesOf } from '../../../database/row-digests.ts';
import { errorCode, errorMessage } from '../../../database/setup-error.ts';
import type { ObservingLimits } from './limits.ts';
import type { SourceWatch } from './source-watch.ts';
import type { Subscription } from './subscriptions.ts';

/** After so many checks, copies that differ or could not be compared are compared again: somebody may mend them. */
const AGAIN_AFTER = 10;
/** What mends copies for good, whatever they lack. */
export const COPY_ANEW = '"npm run -s gates -- compare --repair" copies its tables anew';

/** Reads the digests of copied tables in our database. */
export type ReadCopies = (tables: readonly ComparedTable[]) => Promise<Texts>;

interface Found {
  /** The worker that brought what was compared. */
  readonly worker: number | null;
  /** `undefined`: all copies are the same. */
  readonly fault: string | undefined;
  readonly atMs: number;
}

/**
 * Compares the tables that `gates -- connect` copies with their source, once in each session with our database, and once for
 * each worker that applies what the source sends: whatever leaves commits out for good ends one of them. Our database may have
 * gone back to an earlier state, as a cold copy that is put back, or a standby that lacked the last commits; the source may
 * have, or be another server; a slot may have been advanced by hand. Every later position looks right all the same.
 */
export class SourceComparison {
  /** What was found last, by subscription. */
  readonly #found = new Map<number, Found>();
  readonly #againMs: number;
  #readHere: ReadCopies | undefined;

  constructor({ checkEveryMs }: ObservingLimits) {
    this.#againMs = AGAIN_AFTER * checkEveryMs;
  }

  /** Another session with our database begins. */
  begin(readHere: ReadCopies): void {
    this.#found.clear();
    this.#readHere = readHere;
  }

  /** Why the copies of a subscription may not be those of their source; `undefined`: they are, or it has none. */
  faultOf({ id, copies, worker }: Subscription): string | undefined {
    if (copies.length === 0) return undefined;
    const found = this.#found.get(id);
    return found?.worker === worker ? found.fault : 'its tables are being compared with their source';
  }

  /** Compares them where that is due. Never rejects: where they cannot be compared now, `faultOf` has the reason. */
  async compare(subscription: Subscription, source: SourceWatch): Promise<void> {
    const { id, slot, worker } = subscription;
    const readHere = this.#readHere;
    if (!readHere || slot === null || this.faultOf(subscription) === undefined) return;
    const found = this.#found.get(id);
    if (found?.worker === worker && performance.now() < found.atMs + this.#againMs) return;
    const tables = subscription.copies.map(({ name, columns }) => ({ name, columns: Object.keys(columns) }));
    const fault = await findDifference(tables, readHere, slot, source).catch(
      (error: unknown) => `its tables cannot be compared with their source: ${errorMessage(error)}`,
    );
    this.#found.set(id, { worker, fault, atMs: performance.now() });
  }
}

/** Returns what is wrong with the copies; undefined: they are those of the source. */
async function findDifference(
  tables: readonly ComparedTable[],
  readHere: ReadCopies,
  slot: string,
  source: SourceWatch,
): Promise<string | undefined> {
  const { differences } = await compareChanging({
    readThere: () => source.read((sql) => readDigests(sql, tables)),
    readHere: () => readHere(tables),
    untilHere: () => source.untilConfirmed(slot),
  });
  const differing = tablesOf(differences.map(({ key }) => key));
  if (differing.length === 0) return undefined;
  const secured = await source.read((sql) => findSecured(sql, differing));
  if (secured.length > 0)
    return `what is here of ${differing.join(', ')} is not what the role of SOURCE_DATABASE_URL may see there, where row security applies to ${secured.join(', ')}: as a superuser there, ALTER ROLE … BYPASSRLS; if they differ still, ${COPY_ANEW}`;
  return `what is here of ${differing.join(', ')} is not what the source has, as where either database was put back to an earlier copy, a standby took over that lacked the last commits, or the slot was advanced by hand: ${COPY_ANEW}`;
}

/** Returns those of the tables of which row security may hide rows from our role. */
async function findSecured(sql: postgres.Sql, tables: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname || '.' || c.relname in ${sql(tables)} and row_security_active(c.oid) order by 1`;
  return rows.map(({ name }) => name);
}

/** Returns a reader of the copies. It rejects with the fix where our role has no right to read them. */
export function copiesIn(sql: postgres.Sql): ReadCopies {
  return (tables) =>
    readDigests(sql, tables).catch((error: unknown) => {
      throw errorCode(error) === '42501'
        ? new Error(`${errorMessage(error)} here: ${COPY_ANEW}, and gives it`)
        : error;
    });
}
