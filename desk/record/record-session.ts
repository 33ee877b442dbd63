import { createHash } from 'node:crypto';
import { isEventId } from '../../domain/event.ts';
import { hostOf } from '../../domain/database-hosts.ts';
import type { LogEntry, LogRow, Source, StoredAt } from '../model/log/flow-log.ts';
import { chainedText } from '../model/log/log-chain.ts';
import type { Minute } from '../model/series/minute.ts';
import { HOST_SQL, type HostAnswer, readHostAnswer } from '../../database/primary/host-answer.ts';
import {
  describeTimeline,
  readReturned,
  RETURNED_SQL,
  type ReturnedPrimary,
} from '../../domain/returned-primary.ts';
import {
  describeFault,
  poolerFault,
  type ServerPlace,
  standbyFault,
} from '../../database/connection-fault.ts';
import { openSession, type Session } from '../../database/database-session.ts';
import { quoteLiteral, SEARCH_PATH } from '../../database/with-connection.ts';
import { notPrepared, ofAnotherKind, RecordError, tooOld } from './record-fault.ts';
import type { RecordLimits } from './record-limits.ts';
import type { Row } from '../../domain/event-state.ts';
import { COUNT_COLUMNS, rowsOf, type SectorCells } from './recorded-minute.ts';
import { RowsOfMinutes } from './rows-of-minutes.ts';
import { PREFERRED, sessionName, type Candidacy } from './candidacy.ts';

const SILENT =
  "The record's database does not answer, over a connection that is open: look at the link to it, and at its load";

export interface RecordSessionOptions {
  /** The address for the record's role. */
  readonly url: string;
  readonly place: ServerPlace;
  readonly eventId: string;
  readonly source: Source;
  /** The venue's rows, in order. */
  readonly rows: readonly Row[];
  readonly limits: RecordLimits;
}

/** Limits how long one statement takes. */
const LOG_ROWS_AT_ONCE = 2_000;

export interface PingAnswer {
  /** Set if an operator has returned to this primary on purpose. */
  readonly returned: ReturnedPrimary | undefined;
  /** The candidacies of the other sessions for this record. */
  readonly others: ReadonlySet<Candidacy>;
}

export interface Reading {
  readonly minutes: readonly Minute[];
  /** Minutes in which a row of the venue was not counted apart. */
  readonly foreignMs: readonly number[];
  /** One commit wrote all of them, as a restore does: who watched the last one watched other tickets. */
  readonly areOfOneCommit: boolean;
}

/**
 * One session with the record's database. It holds the lock and does all writes, so that a process that loses the lock cannot
 * write.
 *
 * Every statement is one message without parameters: a process that hangs between two messages of one statement would keep
 * its session, which is not idle then, and the lock for ever.
 */
export class RecordSession {
  readonly #options: RecordSessionOptions;
  readonly #session: Session;
  #hasAnswered = false;
  #candidacy: Candidacy = 'ready';
  /** The log's last row. */
  #tail = { seq: 0, hash: '' };
  readonly #rowsOfMinutes: RowsOfMinutes;

  constructor(options: RecordSessionOptions) {
    this.#options = options;
    const { url, eventId, rows, limits } = options;
    this.#rowsOfMinutes = new RowsOfMinutes(rows);
    this.#session = openSession(url, {
      application_name: sessionName(eventId, 'ready'),
      idle_session_timeout: String(limits.idleSessionMs),
      lock_timeout: String(limits.lockTimeoutMs),
      standard_conforming_strings: 'on',
      // The processes that know an entry write it to a primary that lacks it: none waits for a standby that may be away.
      synchronous_commit: 'local',
    });
  }

  end(graceMs?: number): Promise<void> {
    return this.#session.end(graceMs);
  }

  /** @throws RecordError unless this database and role are suitable */
  async check(): Promise<void> {
    const { place, limits } = this.#options;
    const [facts] = await this.#query<{
      searchPath: string;
      idleSession: string;
      isStandby: boolean;
      isPrepared: boolean;
      takesHexOnly: boolean;
    }>(
      `select pg_catalog.current_setting('search_path') as "searchPath", pg_is_in_recovery() as "isStandby",
        (select setting from pg_settings where name = 'idle_session_timeout') as "idleSession",
        to_regclass('triagem.minutes') is not null and to_regclass('triagem.log') is not null as "isPrepared",
        exists (
          select from pg_constraint
          where conrelid = any (array[to_regclass('triagem.minutes'), to_regclass('triagem.log')]::oid[]) and contype = 'c'
            and pg_get_constraintdef(oid) like '%{32}%') as "takesHexOnly"`,
    );
    const hasSettings =
      facts?.searchPath === SEARCH_PATH && facts.idleSession === String(limits.idleSessionMs);
    if (!facts || !hasSettings) throw new RecordError(describeFault(poolerFault(place)));
    if (facts.isStandby) throw new RecordError(describeFault(standbyFault(place)));
    if (!facts.isPrepared) throw notPrepared();
    if (facts.takesHexOnly && !isEventId(this.#options.eventId)) throw tooOld();
    const [rights] = await this.#query<{ role: string; excess: string | null }>(
      `select current_user as role, (
        select string_agg(p || ' on ' || t, ', ')
        from unnest(array['triagem.minutes', 'triagem.log']) t, unnest(array['UPDATE', 'DELETE', 'TRUNCATE']) p
        where has_table_privilege(t, p) or p = 'UPDATE' and has_any_column_privilege(t, p)) as excess`,
    );
    if (rights && rights.excess !== null) {
      throw new RecordError(
        `The role ${rights.role} of RECORD_DATABASE_URL may change what is recorded (${rights.excess}): ` +
          'name a role of its own there and run `npm run migrate`',
      );
    }
  }

  /** Returns which database stores the rows. */
  async storedAt(): Promise<StoredAt> {
    const [answer] = await this.#query<HostAnswer>(HOST_SQL);
    if (!answer) throw new RecordError('The database does not say which one it is');
    const { host, timeline } = readHostAnswer(hostOf(this.#options.url), answer);
    return { host, timeline: describeTimeline(timeline) };
  }

  /** Publishes the candidacy in the session's name. */
  async announce(candidacy: Candidacy): Promise<void> {
    if (candidacy === this.#candidacy) return;
    await this.#query(
      `set application_name = ${quoteLiteral(sessionName(this.#options.eventId, candidacy))}`,
    );
    this.#candidacy = candidacy;
  }

  /** Tries to take the lock, which it holds until `unlock` or its end; it leaves it to a preferred candidate. */
  async lock(): Promise<boolean> {
    const preferred = PREFERRED[this.#candidacy].map((candidacy) => this.#nameLiteral(candidacy));
    const isTaken = `exists (select from (${this.#others}) o where name in (${preferred.join() || 'null'}))`;
    const [row] = await this.#query<{ isHeld: boolean }>(
      `select case when ${isTaken} then false else pg_try_advisory_lock(${this.#lockKey}) end as "isHeld"`,
    );
    return row?.isHeld === true;
  }

  async unlock(): Promise<void> {
    await this.#query(`select pg_advisory_unlock(${this.#lockKey})`);
  }

  async isAlone(): Promise<boolean> {
    return (await this.ping()).others.size === 0;
  }

  /** Keeps the session alive. */
  async ping(): Promise<PingAnswer> {
    const [row] = await this.#query<{ returned: string | null; names: string[] | null }>(
      `select ${RETURNED_SQL} as returned, (select json_agg(name) from (${this.#others}) o) as names`,
    );
    const { eventId } = this.#options;
    const candidacies = Object.keys(PREFERRED) as Candidacy[];
    const others = candidacies.filter((candidacy) => row?.names?.includes(sessionName(eventId, candidacy)));
    return { returned: readReturned(row?.returned ?? null), others: new Set(others) };
  }

  /** Reads the rows of the log after the last one that was read or written, in order. @throws RecordError: not ours */
  async readLog(): Promise<LogRow[]> {
    const rows: LogRow[] = [];
    for (;;) {
      const some = await this.#selectLog(`seq > ${this.#tail.seq}`, LOG_ROWS_AT_ONCE);
      const last = some.at(-1);
      if (last) this.#tail = this.#linkTo(last);
      this.#assertOfOurKind(some);
      this.#rowsOfMinutes.read(some);
      rows.push(...some);
      if (some.length < LOG_ROWS_AT_ONCE) return rows;
    }
  }

  /** Reads the minutes of the last recorded day from `fromMs` on, in order, except those that begin at `except`. */
  async readMinutes(fromMs: number, except: Iterable<number> = []): Promise<Reading> {
    const { eventId, source } = this.#options;
    const ours = `event_id = ${quoteLiteral(eventId)} and source = ${quoteLiteral(source)} and import_id = ''`;
    const seconds = [...except].map((minuteMs) => minuteMs / 1_000);
    const rows = await this.#query<{ at: number; transaction: string; cells: SectorCells[] }>(
      `select extract(epoch from minute)::float8 as at, min(xmin::text) as transaction,
        json_agg(json_build_array(sector, ${COUNT_COLUMNS.join()})) as cells
      from triagem.minutes
      where ${ours} and minute >= to_timestamp(${fromMs / 1_000})
        and minute > (select max(minute) from triagem.minutes where ${ours}) - interval '24 hours'
        and not extract(epoch from minute)::bigint = any ('{${seconds.join()}}'::bigint[])
      group by minute order by minute`,
    );
    const minutes: Minute[] = [];
    const foreignMs: number[] = [];
    for (const { at, cells } of rows) {
      const minute = this.#rowsOfMinutes.minuteOf(at * 1_000, cells);
      if (minute) minutes.push(minute);
      else foreignMs.push(at * 1_000);
    }
    const areOfOneCommit = rows.length > 1 && rows[0]?.transaction === rows.at(-1)?.transaction;
    return { minutes, foreignMs, areOfOneCommit };
  }

  /** Adds the minutes that are not recorded yet in one commit. Returns their beginnings. */
  async addMinutes(minutes: readonly Minute[]): Promise<number[]> {
    const { eventId, source } = this.#options;
    const codes = this.#options.rows.map(({ code }) => code);
    const rows = minutes.flatMap((minute) => rowsOf(minute, codes));
    const counts = COUNT_COLUMNS.join();
    const added = await this.#query<{ at: number }>(
      `with added as (
        insert into triagem.minutes (event_id, source, minute, sector, ${counts})
        select ${quoteLiteral(eventId)}, ${quoteLiteral(source)}, to_timestamp(at), sector, ${counts}
        from json_to_recordset(${quoteLiteral(JSON.stringify(rows))})
          as r (at bigint, sector text, ${COUNT_COLUMNS.map((name) => `${name} int`).join()})
        where not exists (
          select from triagem.minutes m
          where m.event_id = ${quoteLiteral(eventId)} and m.source = ${quoteLiteral(source)} and m.import_id = ''
            and m.minute = to_timestamp(r.at))
        returning minute)
      select distinct extract(epoch from minute)::float8 as at from added order by at`,
    );
    return added.map(({ at }) => at * 1_000);
  }

  /** Adds an entry after the last row. Returns its row, or the existing row with its id. */
  async addEntry(entry: LogEntry): Promise<{ readonly row: LogRow; readonly isNew: boolean }> {
    const { eventId } = this.#options;
    if (!Number.isFinite(entry.atMs)) throw new RangeError(`an entry at the time ${entry.atMs}`);
    // The row as it will be read.
    const plain = JSON.parse(JSON.stringify({ ...entry, atMs: Math.round(entry.atMs) })) as LogEntry;
    const row: LogRow = { ...plain, seq: this.#tail.seq + 1, previous: this.#tail.hash };
    const values = [
      quoteLiteral(eventId),
      String(row.seq),
      quoteLiteral(row.id),
      quoteLiteral(new Date(row.atMs).toISOString()),
      quoteLiteral(row.source),
      quoteLiteral(row.kind),
      row.by === null ? 'null' : quoteLiteral(row.by),
      row.sector === null ? 'null' : quoteLiteral(row.sector),
      quoteLiteral(JSON.stringify(row.data)),
      quoteLiteral(JSON.stringify(row.figures)),
      quoteLiteral(row.previous),
    ];
    const [added] = await this.#query(
      `insert into triagem.log (event_id, seq, id, at, source, kind, by_name, sector, data, figures, previous)
      values (${values.join()}) on conflict (event_id, id) do nothing returning seq`,
    );
    if (added) {
      this.#tail = this.#linkTo(row);
      return { row, isNew: true };
    }
    const [there] = await this.#selectLog(`id = ${quoteLiteral(row.id)}`);
    if (!there) throw new RecordError('An entry of the log is there and cannot be read');
    return { row: there, isNew: false };
  }

  /** What a practice says must not hold on a real desk, nor what is real be recorded as a practice. */
  #assertOfOurKind(log: readonly LogRow[]): void {
    const isSimulated = this.#options.source === 'simulated';
    if (log.some(({ source }) => source !== 'import' && (source === 'simulated') !== isSimulated))
      throw ofAnotherKind(isSimulated);
  }

  /** Selects the names of the sessions that other processes have for this record. */
  get #others(): string {
    const names = (Object.keys(PREFERRED) as Candidacy[]).map((candidacy) => this.#nameLiteral(candidacy));
    return `select application_name as name from pg_stat_activity
      where datname = current_database() and application_name in (${names.join()}) and pid <> pg_backend_pid()`;
  }

  #nameLiteral(candidacy: Candidacy): string {
    return quoteLiteral(sessionName(this.#options.eventId, candidacy));
  }

  /** desk/tool/record-log.ts takes the same lock. */
  get #lockKey(): string {
    return `hashtextextended(${quoteLiteral(`triagem record ${this.#options.eventId}`)}, 0)`;
  }

  #selectLog(condition: string, limit = 1): Promise<LogRow[]> {
    return this.#query<LogRow>(
      `select seq::float8 as seq, id, (extract(epoch from at) * 1000)::float8 as "atMs", source, by_name as by, sector,
        kind, data, figures, previous
      from triagem.log where event_id = ${quoteLiteral(this.#options.eventId)} and ${condition} order by seq limit ${limit}`,
    );
  }

  #linkTo(row: LogRow): { seq: number; hash: string } {
    const hash = createHash('sha256').update(chainedText(this.#options.eventId, row)).digest('hex');
    return { seq: row.seq, hash };
  }

  /** @throws the database's error, or what its silence may mean */
  async #query<Found extends object>(statement: string): Promise<Found[]> {
    const { answerMs } = this.#options.limits;
    const answer = this.#session.sql.unsafe(statement).simple();
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(this.#hasAnswered ? new RecordError(SILENT) : noAnswer(answerMs));
      timer = setTimeout(fail, answerMs).unref();
    });
    try {
      const rows = (await Promise.race([answer, silence])) as unknown as Found[];
      this.#hasAnswered = true;
      return rows;
    } finally {
      clearTimeout(timer);
      answer.catch(() => {});
    }
  }
}

function noAnswer(afterMs: number): Error {
  return Object.assign(new Error(`no answer within ${afterMs / 1_000} s`), { code: 'ETIMEDOUT' });
}
