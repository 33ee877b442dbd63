import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { connectionDetail, connectionFault, describeFault } from '../../../database/connection-fault.ts';
import { openSession, type Session } from '../../../database/database-session.ts';
import { findPrimaryUrl } from '../../../database/primary/primary-watch.ts';
import { errorMessage } from '../../../database/setup-error.ts';
import { type PublishedTables, readPublished } from './copied-tables.ts';
import { flushLog } from './flush-log.ts';
import { parseLsn, ReplicationWatermark } from './replication-watermark.ts';

/** A look waits this long for the subscription to confirm the position that was read. */
const LOOK_LIMIT_MS = 1_000;
const ASK_AGAIN_MS = 50;
const PLACE = { setting: 'SOURCE_DATABASE_URL' };
const SILENT = 'no answer comes from the address of SOURCE_DATABASE_URL';

/**
 * Asks the server that subscriptions copy from where its log stands, and how much of it each slot has confirmed: the
 * subscribed database confirms what it has committed and flushed. Once a slot has confirmed a position, everything that
 * was committed at the source before that position was read is in the subscribed database.
 */
export class SourceWatch {
  readonly #url: string;
  readonly #silenceMs: number;
  readonly #stopping = new AbortController();
  /** For each slot, when the last confirmed position was read; `undefined` before one was confirmed. */
  readonly #slots = new Map<string, ReplicationWatermark<number | undefined>>();
  #session: Session | undefined;
  #asking: Promise<void> | undefined;
  #published: PublishedTables = {};
  #hasAnswered = false;
  #fault: string | undefined;

  /** `silenceMs`: a connection that does not answer for this long is given up. */
  constructor(url: string, silenceMs: number) {
    this.#url = url;
    this.#silenceMs = silenceMs;
  }

  /**
   * Resolves once all of these slots have confirmed where the log stands now, or after a second. `publications`: those whose
   * columns are asked for.
   */
  async look(slots: readonly string[], publications: readonly string[] = []): Promise<void> {
    this.#asking ??= this.#ask(slots, publications).finally(() => (this.#asking = undefined));
    const late = new AbortController();
    const limit = pause(LOOK_LIMIT_MS, true, { signal: late.signal }).catch(() => false);
    const isLate = await Promise.race([this.#asking.then(() => false), limit]);
    late.abort();
    if (isLate) this.#fault ??= SILENT;
  }

  /** Whether the source has this slot; `undefined` before it has answered. */
  has(slot: string): boolean | undefined {
    return this.#hasAnswered ? this.#slots.has(slot) : undefined;
  }

  /** The columns of the publications that were asked for; none before the source has answered. */
  get published(): PublishedTables {
    return this.#published;
  }

  /** Everything committed at the source before this instant of `performance.now()` is in the subscribed database. */
  confirmedAtMs(slot: string): number | undefined {
    return this.#slots.get(slot)?.passed;
  }

  /** The cause and the fix where the source does not answer; `undefined` while it does. */
  get fault(): string | undefined {
    return this.#fault;
  }

  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end();
    await this.#asking;
  }

  async #ask(slots: readonly string[], publications: readonly string[]): Promise<void> {
    let isSilent = false;
    const giveUp = (): void => {
      isSilent = true;
      void this.#session?.end(0);
    };
    const timer = setTimeout(giveUp, this.#silenceMs);
    try {
      const { sql } = await this.#open();
      const readAtMs = performance.now();
      const giveUpAtMs = readAtMs + LOOK_LIMIT_MS - 2 * ASK_AGAIN_MS;
      const rows = await readSlots(sql, slots);
      if (publications.length > 0) this.#published = await readPublished(sql, publications);
      this.#take(rows, readAtMs);
      this.#hasAnswered = true;
      this.#fault = undefined;
      if (rows.some(({ isFlushed }) => !isFlushed)) await flushLog(sql);
      while (this.#isBehind(slots, readAtMs) && performance.now() < giveUpAtMs) {
        await pause(ASK_AGAIN_MS, undefined, { signal: this.#stopping.signal });
        this.#take(await readSlots(sql, slots));
      }
    } catch (error) {
      const session = this.#session;
      this.#session = undefined;
      this.#fault = isSilent ? SILENT : describe(error);
      await session?.end(0);
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(): Promise<Session> {
    if (this.#session) return this.#session;
    const url = await findPrimaryUrl(this.#url, PLACE, this.#stopping.signal);
    this.#stopping.signal.throwIfAborted();
    this.#session = openSession(url, {
      application_name: 'triagem source',
      default_transaction_read_only: 'on',
    });
    return this.#session;
  }

  /** Takes the positions of the log, which were asked for at `readAtMs`; without it, only what was confirmed. */
  #take(rows: readonly SlotRow[], readAtMs?: number): void {
    for (const { slot, lsn, confirmed } of rows) {
      let watermark = this.#slots.get(slot);
      if (!watermark)
        this.#slots.set(slot, (watermark = new ReplicationWatermark<number | undefined>(undefined)));
      if (readAtMs !== undefined) watermark.read(parseLsn(lsn), readAtMs);
      if (confirmed !== null) watermark.pass(parseLsn(confirmed));
    }
    const found = new Set(rows.map(({ slot }) => slot));
    for (const slot of this.#slots.keys()) if (!found.has(slot)) this.#slots.delete(slot);
  }

  #isBehind(slots: readonly string[], readAtMs: number): boolean {
    return slots.some((slot) => this.#slots.has(slot) && (this.confirmedAtMs(slot) ?? -Infinity) < readAtMs);
  }
}

function describe(error: unknown): string {
  const fault = connectionFault(error, PLACE);
  if (!fault) return `SOURCE_DATABASE_URL: ${errorMessage(error)}`;
  return `${describeFault(fault)}${connectionDetail(error, PLACE)}`;
}

interface SlotRow {
  readonly slot: string;
  readonly lsn: string;
  readonly confirmed: string | null;
  /** Whether the log was flushed to its end. */
  readonly isFlushed: boolean;
}

/** Reads the position and what is confirmed in one statement. */
function readSlots(sql: postgres.Sql, slots: readonly string[]): Promise<SlotRow[]> {
  return sql<SlotRow[]>`
    select slot_name as slot, pg_current_wal_lsn()::text as lsn, confirmed_flush_lsn::text as confirmed,
      pg_current_wal_flush_lsn() = pg_current_wal_insert_lsn() as "isFlushed"
    from pg_replication_slots where slot_name in ${sql(slots)} and slot_type = 'logical'`;
}
