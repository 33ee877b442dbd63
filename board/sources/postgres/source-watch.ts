import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { connectionDetail, connectionFault, describeFault } from '../../../database/connection-fault.ts';
import { openSession, type Session } from '../../../database/database-session.ts';
import { PrimaryWatch } from '../../../database/primary/primary-watch.ts';
import { errorMessage } from '../../../database/setup-error.ts';
import { quoteIdentifier } from '../../../database/with-connection.ts';
import { type PublishedTables, readDefinitions, readPublished } from './copied-tables.ts';
import { flushLog } from './flush-log.ts';
import { parseLsn, ReplicationWatermark } from './replication-watermark.ts';

/** A look waits this long for the subscription to confirm the position that was read. */
const LOOK_LIMIT_MS = 1_000;
const ASK_AGAIN_MS = 50;
/** A slot is waited for so many looks. */
const LOOKS = 3;
/** All copied tables of a subscription are read within this time. */
const READ_LIMIT_MS = 30_000;
/** How often the hosts are asked which one is the primary, where the setting names more than one. */
const FIND_EVERY_MS = 1_000;
const PLACE = { setting: 'SOURCE_DATABASE_URL' };
const WENT_BACK = 'its source has gone back to an earlier state of itself, as by a restored backup';
const ANOTHER = 'another server is at the address of its source';
const DROPPED = 'its slot at the source was dropped';
const ADVANCED = 'its slot at the source was made anew or advanced by hand while it was disabled';
const SILENT = 'no answer comes from the address of SOURCE_DATABASE_URL';

/** What is asked of a source, by names. */
export interface SourceQuestion {
  readonly slots: readonly string[];
  /** The slots of disabled subscriptions. */
  readonly idle: readonly string[];
  /** Their columns are asked for. */
  readonly publications: readonly string[];
  /** Columns that are asked for where they are not published. */
  readonly absent: readonly string[];
}

/**
 * Asks the server that subscriptions copy from where its log stands, and how much of it each slot has confirmed: the
 * subscribed database confirms what it has committed and flushed. Once a slot has confirmed a position, everything that
 * was committed at the source before that position was read is in the subscribed database.
 */
export class SourceWatch {
  readonly #hosts: PrimaryWatch;
  readonly #silenceMs: number;
  readonly #stopping = new AbortController();
  /** For each slot, when the last confirmed position was read; `undefined` before one was confirmed. */
  readonly #slots = new Map<string, ReplicationWatermark<number | undefined>>();
  #session: Session | undefined;
  #asking: Promise<void> | undefined;
  #question: SourceQuestion = { slots: [], idle: [], publications: [], absent: [] };
  #published: PublishedTables = {};
  #definitions = '';
  #hasAnswered = false;
  #fault: string | undefined;
  /** The end of the log that the source had flushed; a source never takes it back. */
  #flushed = 0n;
  /** The identifier of the source, which no other server has but a copy of it. */
  #system: string | undefined;
  /**
   * Why commits of the source are missing here for good, and later positions look right all the same: of the source, and of
   * each slot.
   */
  #lossOfSource: string | undefined;
  readonly #lossOfSlot = new Map<string, string>();
  /** The cause and the fix for each slot of a database that the setting does not name. */
  #elsewhere: ReadonlyMap<string, string> = new Map();
  /** What slots of disabled subscriptions had confirmed that nobody used at the last look. */
  #idle: ReadonlyMap<string, bigint> = new Map();
  #unused: ReadonlySet<string> = new Set();
  /** Why the primary that was asked first is none any more. */
  #retired: string | undefined;
  #unfollow = (): void => {};

  /** `silenceMs`: a connection that does not answer for this long is given up. */
  constructor(url: string, silenceMs: number) {
    this.#hosts = new PrimaryWatch(url, PLACE);
    this.#silenceMs = silenceMs;
  }

  /** Resolves once all slots have confirmed where the log stands now, or after a second. */
  async look(question: SourceQuestion): Promise<void> {
    this.#question = question;
    this.#asking ??= this.#ask(question).finally(() => (this.#asking = undefined));
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

  /** The cause and the fix where a slot is of another database of this server than the one that is asked. */
  elsewhere(slot: string): string | undefined {
    return this.#elsewhere.get(slot);
  }

  /** Whether the source has not flushed its log to what this slot is waited for to confirm. */
  isUnflushed(slot: string): boolean {
    return (this.#slots.get(slot)?.awaited ?? 0n) > this.#flushed;
  }

  /** Whether nobody used this slot of the source at the last look. */
  isUnused(slot: string): boolean {
    return this.#unused.has(slot);
  }

  /** The columns of the publications that were asked for; none before the source has answered. */
  get published(): PublishedTables {
    return this.#published;
  }

  /** A text that changes whenever a publication, or a table or column of it, is altered at the source. */
  get definitions(): string {
    return this.#definitions;
  }

  /** Why commits of the source are missing here for good, as far as this watch has seen; `undefined`: none are. */
  lossOf(slot: string): string | undefined {
    const former = this.has(slot) === true ? undefined : this.#retired;
    return former ?? this.#lossOfSource ?? this.#lossOfSlot.get(slot);
  }

  /** Forgets all about the source: the subscriptions are others. */
  forget(): void {
    this.#flushed = 0n;
    this.#system = undefined;
    this.#lossOfSource = undefined;
    this.#retired = undefined;
    this.#lossOfSlot.clear();
    this.#idle = new Map();
    this.#elsewhere = new Map();
    this.#unused = new Set();
    this.#slots.clear();
    this.#hasAnswered = false;
  }

  /** Everything committed at the source before this instant of `performance.now()` is in the subscribed database. */
  confirmedAtMs(slot: string): number | undefined {
    return this.#slots.get(slot)?.passed;
  }

  /** Reads from the source between two looks. Rejects where it cannot be asked, or takes too long. */
  async read<T>(query: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    await this.#asking;
    const session = await this.#open();
    const timer = setTimeout(() => void session.end(0), READ_LIMIT_MS);
    try {
      return await query(session.sql);
    } catch (error) {
      if (this.#session === session) this.#session = undefined;
      await session.end(0);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves once a slot has confirmed everything that was committed at the source before. Rejects after some looks. */
  async untilConfirmed(slot: string): Promise<void> {
    const sinceMs = performance.now();
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await this.look(this.#question);
      if ((this.confirmedAtMs(slot) ?? -Infinity) >= sinceMs) return;
    }
    throw new Error(this.#fault ?? 'it is behind its source');
  }

  /** The cause and the fix where the source does not answer; `undefined` while it does. */
  get fault(): string | undefined {
    return this.#fault;
  }

  async end(): Promise<void> {
    this.#stopping.abort();
    this.#unfollow();
    await Promise.all([this.#session?.end(), this.#hosts.end()]);
    await this.#asking;
  }

  async #ask({ slots, idle, publications, absent }: SourceQuestion): Promise<void> {
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
      if (publications.length > 0) {
        this.#published = await readPublished(sql, publications, absent);
        this.#definitions = await readDefinitions(sql, publications);
      }
      this.#elsewhere = new Map(rows.flatMap(describeElsewhere));
      this.#unused = new Set(rows.flatMap(({ slot, isActive }) => (isActive ? [] : slot)));
      this.#findLoss(rows, idle);
      this.#take(rows, readAtMs);
      this.#hasAnswered = true;
      this.#fault = undefined;
      if (rows.some(({ isFlushed }) => !isFlushed)) await flushLog(sql);
      let used = rows.filter(({ isActive }) => isActive);
      while (this.#isBehind(used, readAtMs) && performance.now() < giveUpAtMs) {
        await pause(ASK_AGAIN_MS, undefined, { signal: this.#stopping.signal });
        const again = await readSlots(sql, slots);
        this.#take(again);
        used = again.filter(({ isActive }) => isActive);
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
    const primary = await this.#hosts.find({ thorough: true });
    this.#stopping.signal.throwIfAborted();
    this.#unfollow();
    this.#unfollow = this.#hosts.follow(primary, {
      everyMs: FIND_EVERY_MS,
      onRetired: ({ fault }) => {
        this.#retired = `it copies from a former primary of its source: ${fault.cause}`;
        this.#hasAnswered = false;
        void this.#session?.end(0);
        this.#session = undefined;
      },
      onWarning: () => {},
    });
    this.#session = openSession(primary.url, {
      application_name: 'triagem source',
      default_transaction_read_only: 'on',
    });
    return this.#session;
  }

  /** Compares the slots with the look before. */
  #findLoss(rows: readonly SlotRow[], idle: readonly string[]): void {
    for (const slot of this.#slots.keys())
      if (!rows.some((row) => row.slot === slot)) this.#lossOfSlot.set(slot, DROPPED);
    const unused = new Map<string, bigint>();
    for (const { slot, flushed, confirmed, isActive, system } of rows) {
      this.#system ??= system;
      if (system !== this.#system) this.#lossOfSource = ANOTHER;
      const flushedLsn = parseLsn(flushed);
      if (flushedLsn < this.#flushed) this.#lossOfSource = WENT_BACK;
      else this.#flushed = flushedLsn;
      if (isActive || !idle.includes(slot) || confirmed === null) continue;
      unused.set(slot, parseLsn(confirmed));
      const before = this.#idle.get(slot);
      if (before !== undefined && parseLsn(confirmed) > before) this.#lossOfSlot.set(slot, ADVANCED);
    }
    this.#idle = unused;
  }

  /** Takes the positions of the log, which were asked for at `readAtMs`; without it, only what was confirmed. */
  #take(rows: readonly SlotRow[], readAtMs?: number): void {
    for (const { slot, lsn, flushed, confirmed } of rows) {
      // What we had of a later state is not sent before its log has come as far again.
      if (confirmed !== null && parseLsn(confirmed) > parseLsn(flushed))
        this.#lossOfSlot.set(slot, WENT_BACK);
      let watermark = this.#slots.get(slot);
      if (!watermark)
        this.#slots.set(slot, (watermark = new ReplicationWatermark<number | undefined>(undefined)));
      if (readAtMs !== undefined) watermark.read(parseLsn(lsn), readAtMs);
      if (confirmed !== null) watermark.pass(parseLsn(confirmed));
    }
    const found = new Set(rows.map(({ slot }) => slot));
    for (const slot of this.#slots.keys()) if (!found.has(slot)) this.#slots.delete(slot);
  }

  /** Nothing more is confirmed to a slot that nobody uses. */
  #isBehind(used: readonly SlotRow[], readAtMs: number): boolean {
    return used.some(({ slot }) => (this.confirmedAtMs(slot) ?? -Infinity) < readAtMs);
  }
}

function describe(error: unknown): string {
  const fault = connectionFault(error, PLACE);
  if (!fault) return `SOURCE_DATABASE_URL: ${errorMessage(error)}`;
  return `${describeFault(fault)}${connectionDetail(error, PLACE)}`;
}

interface SlotRow {
  readonly slot: string;
  /** The database that it is of, and the one that was asked. */
  readonly database: string;
  readonly asked: string;
  readonly lsn: string;
  readonly flushed: string;
  readonly system: string;
  /** Whether somebody uses the slot. */
  readonly isActive: boolean;
  readonly confirmed: string | null;
  /** Whether the log was flushed to its end. */
  readonly isFlushed: boolean;
}

function describeElsewhere({ slot, database, asked }: SlotRow): [string, string][] {
  if (database === asked) return [];
  const cause = `SOURCE_DATABASE_URL names the database ${quoteIdentifier(asked)}, and the subscription copies from ${quoteIdentifier(database)} of the same server: name that one`;
  return [[slot, cause]];
}

/** Reads the position and what is confirmed in one statement. */
function readSlots(sql: postgres.Sql, slots: readonly string[]): Promise<SlotRow[]> {
  return sql<SlotRow[]>`
    select slot_name as slot, database::text as database, current_database()::text as asked,
      pg_current_wal_insert_lsn()::text as lsn, confirmed_flush_lsn::text as confirmed,
      pg_current_wal_flush_lsn()::text as flushed, active as "isActive",
      (select system_identifier::text from pg_control_system()) as system,
      pg_current_wal_flush_lsn() = pg_current_wal_insert_lsn() as "isFlushed"
    from pg_replication_slots where slot_name in ${sql(slots)} and slot_type = 'logical'`;
}
