import type postgres from 'postgres';
import { compareChanging, type Texts } from '../../../domain/compare-changing.ts';
import { type ComparedTable, readDigests, tablesOf } from '../../../database/row-digests.ts';
import { errorCode, errorMessage } from '../../../database/setup-error.ts';
import { copiedFrom, DIFFERING_VIEW, VIEW_SYSTEM } from '../../../domain/connection-marks.ts';
import { howToGrant } from './copied-tables.ts';
import type { ObservingLimits } from './limits.ts';
import type { SourceWatch } from './source-watch.ts';
import type { Subscription } from './subscriptions.ts';

/** After so many checks, copies that differ or could not be compared are compared again: somebody may mend them. */
const AGAIN_AFTER = 10;
/** After so many checks, and so many times what that takes, the tickets of an operator's view are compared again. */
const VIEW_AGAIN_AFTER = 2;
const VIEW_PAUSE = 20;
/** What mends copies for good, whatever they lack. */
export const COPY_ANEW = '"npm run -s gates -- compare --repair" copies its tables anew';

/** What is compared in our database. */
export interface Copies {
  /** Reads the digests of copied tables. */
  read(tables: readonly ComparedTable[]): Promise<Texts>;
  /** Counts the tickets that are not as the copied tables of a subscription have them. */
  countDiffering(subscription: string): Promise<number>;
}

interface Found {
  /** The worker that brought what was compared. */
  readonly worker: number | null;
  /** `undefined`: all copies are the same. */
  readonly fault: string | undefined;
  /** When to compare again. */
  readonly againAtMs: number;
}

/**
 * Compares the tables that `gates -- connect` copies with their source, once in each session with our database, and once for
 * each worker that applies what the source sends: whatever leaves commits out for good ends one of them. Our database may have
 * gone back to an earlier state, as a cold copy that is put back, or a standby that lacked the last commits; the source may
 * have, or be another server; a slot may have been advanced by hand. Every later position looks right all the same. Beside
 * that the tickets are compared with the copies: triggers may have been disabled for a while, or tickets deleted. Those of an
 * operator's view are compared all the time: whether they follow from each row's group cannot be read from the query.
 */
export class SourceComparison {
  /** What was found last, by subscription. */
  readonly #found = new Map<number, Found>();
  readonly #checkEveryMs: number;
  #copies: Copies | undefined;

  constructor({ checkEveryMs }: ObservingLimits) {
    this.#checkEveryMs = checkEveryMs;
  }

  /** Another session with our database begins. */
  begin(copies: Copies): void {
    this.#found.clear();
    this.#copies = copies;
  }

  /** What a subscription has copied may lack something from now on. */
  forget({ id }: Subscription): void {
    this.#found.delete(id);
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
    const copies = this.#copies;
    if (!copies || slot === null || subscription.copies.length === 0) return;
    const found = this.#found.get(id);
    const begunMs = performance.now();
    if (found?.worker === worker && begunMs < found.againAtMs) return;
    const wasSame = this.faultOf(subscription) === undefined;
    const comparing = wasSame
      ? findDifferingTickets(subscription, copies)
      : findDifference(subscription, copies, slot, source);
    const fault = await comparing.catch((error: unknown) => {
      // What our database refuses has its fix already, and no code any more.
      const fix = errorCode(error) === '42501' ? `: ${howToGrant(subscription.copies)}` : '';
      return `its tables cannot be compared with their source: ${errorMessage(error)}${fix}`;
    });
    const endedMs = performance.now();
    let pauseMs = AGAIN_AFTER * this.#checkEveryMs;
    if (fault === undefined) {
      const least = VIEW_AGAIN_AFTER * this.#checkEveryMs;
      pauseMs = isOfView(subscription)
        ? Math.max(least, wasSame ? VIEW_PAUSE * (endedMs - begunMs) : 0)
        : Infinity;
    }
    this.#found.set(id, { worker, fault, againAtMs: endedMs + pauseMs });
  }
}

/** Returns what is wrong with the copies, or the tickets; undefined: they are those of the source. */
async function findDifference(
  subscription: Subscription,
  copies: Copies,
  slot: string,
  source: SourceWatch,
): Promise<string | undefined> {
  const tables = subscription.copies.map(({ name, columns }) => ({ name, columns: Object.keys(columns) }));
  const { differences } = await compareChanging({
    readThere: () => source.read((sql) => readDigests(sql, tables)),
    readHere: () => copies.read(tables),
    untilHere: () => source.untilConfirmed(slot),
  });
  const differing = tablesOf(differences.map(({ key }) => key));
  if (differing.length === 0) return findDifferingTickets(subscription, copies);
  const secured = await source.read((sql) => findSecured(sql, differing));
  if (secured.length > 0)
    return `what is here of ${differing.join(', ')} is not what the role of SOURCE_DATABASE_URL may see there, where row security applies to ${secured.join(', ')}: as a superuser there, ALTER ROLE … BYPASSRLS; if they differ still, ${COPY_ANEW}`;
  return `what is here of ${differing.join(', ')} is not what the source has, as where either database was put back to an earlier copy, a standby took over that lacked the last commits, a table was made anew there, the publication was altered for a moment, or the slot was advanced by hand: ${COPY_ANEW}`;
}

async function findDifferingTickets(subscription: Subscription, copies: Copies): Promise<string | undefined> {
  const tickets = await copies.countDiffering(subscription.name);
  if (tickets === 0) return undefined;
  const known = `${tickets} tickets are not as its tables have them, as where a trigger was disabled for a while, or tickets were deleted or written another way`;
  return isOfView(subscription)
    ? `${known}, or the first column that --tables names of a table is not grp of the view in all of its rows: in that case "connect --remove", then connect with another query; else ${COPY_ANEW}`
    : `${known}: ${COPY_ANEW}`;
}

function isOfView({ copies }: Subscription): boolean {
  return copies.some(({ comment }) => copiedFrom(comment) === VIEW_SYSTEM);
}

/** Returns those of the tables of which row security may hide rows from our role. */
async function findSecured(sql: postgres.Sql, tables: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname || '.' || c.relname in ${sql(tables)} and row_security_active(c.oid) order by 1`;
  return rows.map(({ name }) => name);
}

/** Each reading of them is passed to `limit`, and rejects with the fix where our role has no right to it. */
export function copiesIn(sql: postgres.Sql, limit: <T>(reading: Promise<T>) => Promise<T>): Copies {
  const explain = (error: unknown): never => {
    throw errorCode(error) === '42501'
      ? new Error(`${errorMessage(error)} here: ${COPY_ANEW}, and gives it`)
      : error;
  };
  const count = async (subscription: string): Promise<number> => {
    const [{ n }] = await sql<[{ n: number }]>`
      select count(*)::int as n from ${sql(`${subscription}.${DIFFERING_VIEW}`)}`;
    return n;
  };
  return {
    read: (tables) => limit(readDigests(sql, tables)).catch(explain),
    countDiffering: (subscription) => limit(count(subscription)).catch(explain),
  };
}
