import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ObservingLimits } from './limits.ts';
import { formatPosition, type LogPosition } from '../../../domain/log-position.ts';
import { describeTimeline, type ReturnedPrimary, withReturn } from '../../../domain/returned-primary.ts';
import { PUBLICATION } from './contract.ts';
import type { Session } from '../../../database/database-session.ts';
import { ReplicationError } from './replication-error.ts';
import { parseLsn } from './replication-watermark.ts';
import { toPostgresTime } from './postgres-time.ts';
import { parsePgoutput, type PgoutputMessage } from './pgoutput.ts';

/** Receives a replication stream in the order of the log. */
export interface ReplicationListener {
  message(message: PgoutputMessage): void;
  /** Every commit before `lsn` has been passed on. */
  passed(lsn: bigint): void;
  /** The stream is over, once and for all. Not called after `stop`. */
  ended(reason: unknown): void;
}

/** A server as it was found before it was connected to. */
export interface ExpectedSystem {
  readonly host: string;
  readonly systemId: string;
  /** The timeline with its returns. */
  readonly timeline: number;
}

export interface ExportedSnapshot {
  readonly name: string;
  readonly position: LogPosition;
  /** When the slot was made, on the clock of `performance.now()`. */
  readonly takenAtMs: number;
}

/** What the server says of itself. */
interface ServerIdentity {
  readonly systemid: string;
  readonly timeline: number | string;
}

/**
 * A temporary replication slot and, later, the stream of everything committed after it. The slot goes with
 * the connection; what was committed meanwhile is then lost to us, so there is no resuming.
 *
 *   createSlot ──▶ snapshot may be imported elsewhere ──▶ start ──▶ ended | stop
 */
export class ReplicationStream {
  readonly #session: Session;
  readonly #slot = `triagem_${randomBytes(8).toString('hex')}`;
  readonly #limits: ObservingLimits;
  readonly #expected: ExpectedSystem | undefined;
  #identified: Promise<ServerIdentity> | undefined;
  #stream: Duplex | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #passed = 0n;
  #over = false;

  /** `session`: a replication connection, which it ends. `expected`: any other system or timeline is refused. */
  constructor(session: Session, limits: ObservingLimits, expected: ExpectedSystem | undefined) {
    this.#session = session;
    this.#limits = limits;
    this.#expected = expected;
  }

  /** Connects, which takes as long as all that `createSlot` does over a slow link. What fails, fails there. */
  connect(): void {
    this.#identified = this.#identify();
    this.#identified.catch(() => {});
  }

  /**
   * Waits until every transaction that was writing has ended (at most `slotPatienceMs`, then error 55P03). The snapshot
   * shows exactly what was committed before `position`, where the stream begins; it can be imported until `start`.
   */
  async createSlot(returned: Promise<ReturnedPrimary | undefined>): Promise<ExportedSnapshot> {
    const { sql } = this.#session;
    // Sent together; where the connection cannot be made, the first one fails with the cause.
    const [{ systemid, timeline: own }, [slot]] = await Promise.all([
      this.#identified ?? this.#identify(),
      sql.unsafe<[{ snapshot_name: string; consistent_point: string }]>(
        `CREATE_REPLICATION_SLOT ${this.#slot} TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT`,
      ),
    ]);
    const takenAtMs = performance.now();
    const timeline = withReturn(Number(own), await returned);
    this.#assertExpected(systemid, timeline);
    const position = formatPosition(systemid, timeline, parseLsn(slot.consistent_point));
    return { name: slot.snapshot_name, position, takenAtMs };
  }

  async start(listener: ReplicationListener): Promise<void> {
    const query = this.#session.sql.unsafe(
      `START_REPLICATION SLOT ${this.#slot} LOGICAL 0/0 (proto_version '1', publication_names '${PUBLICATION}', messages 'true')`,
    );
    // Both directions of the copy are one stream, though the library's types name only one of them.
    const stream = (await query.writable()) as Duplex;
    if (this.#over) {
      stream.on('error', () => {});
      return;
    }
    this.#stream = stream;
    const end = (reason: unknown): void => {
      if (this.#over) return;
      this.#silence();
      listener.ended(reason);
    };
    const silent = (): void =>
      end(new ReplicationError('The replication connection went silent', { shouldRetry: true }));
    this.#watchdog = setTimeout(silent, this.#limits.silenceMs);
    stream.on('data', (bytes: Buffer) => {
      this.#watchdog?.refresh();
      try {
        this.#read(bytes, listener);
      } catch (error) {
        end(error);
      }
    });
    stream.on('error', end);
    stream.on('end', () =>
      end(new ReplicationError('The database ended the replication', { shouldRetry: true })),
    );
    stream.on('close', () =>
      end(new ReplicationError('The replication connection was cut', { shouldRetry: true })),
    );
  }

  /** Confirms the position to the server, so that it can drop its log, and asks for its own. */
  requestPosition(): void {
    this.#acknowledge(true);
  }

  /** Nothing is passed on until `resume`. */
  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  /** Every commit before it has been passed on. */
  get passed(): bigint {
    return this.#passed;
  }

  /** Closes the stream; resolves once the slot is dropped. */
  async stop(): Promise<void> {
    this.#silence();
    this.#stream?.end();
    await this.#session.end();
  }

  async #identify(): Promise<ServerIdentity> {
    const [identity] = await this.#session.sql.unsafe<[ServerIdentity]>('IDENTIFY_SYSTEM');
    return identity;
  }

  #assertExpected(systemId: string, timeline: number): void {
    const expected = this.#expected;
    if (!expected || (expected.systemId === systemId && expected.timeline === timeline)) return;
    throw new ReplicationError(
      `The server of ${expected.host} is another one than a moment ago: timeline ${describeTimeline(timeline)} of the system ${systemId}`,
      { shouldRetry: true },
    );
  }

  #silence(): void {
    this.#over = true;
    clearTimeout(this.#watchdog);
    this.#stream?.on('error', () => {});
  }

  // Source: PostgreSQL documentation, "Streaming Replication Protocol": XLogData 'w', keepalive 'k'.
  #read(bytes: Buffer, listener: ReplicationListener): void {
    if (this.#over) return;
    if (bytes[0] === 0x77) {
      const message = parsePgoutput(bytes.subarray(25));
      listener.message(message);
      if (message.kind === 'commit') this.#pass(message.endLsn, listener);
    } else if (bytes[0] === 0x6b) {
      this.#pass(bytes.readBigUInt64BE(1), listener);
      if (bytes[17] === 1) this.#acknowledge(false);
    }
  }

  #pass(lsn: bigint, listener: ReplicationListener): void {
    if (lsn > this.#passed) this.#passed = lsn;
    listener.passed(this.#passed);
  }

  #acknowledge(wantsReply: boolean): void {
    if (this.#over || !this.#stream?.writable) return;
    const bytes = Buffer.alloc(34);
    bytes.write('r');
    bytes.writeBigUInt64BE(this.#passed, 1);
    bytes.writeBigUInt64BE(this.#passed, 9);
    bytes.writeBigUInt64BE(this.#passed, 17);
    bytes.writeBigInt64BE(toPostgresTime(Date.now()), 25);
    bytes.writeUInt8(wantsReply ? 1 : 0, 33);
    this.#stream.write(bytes);
  }
}
