import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { closeOnce } from '../close-once.ts';
import type { ClusterUrls } from './shared-cluster.ts';
import { until } from '../until.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clusterUrls: ClusterUrls;
    /** A data folder as a first start leaves it; nothing runs in it. A test begins with a copy, and needs no initdb. */
    usedDataFolder: string;
  }
}

export interface DatabaseUrls {
  readonly adminUrl: string;
  readonly ownerUrl: string;
  readonly observerUrl: string;
  readonly gatesUrl: string;
  readonly recordUrl: string;
}

/** A database of a test's own, prepared for Triagem. */
export interface TestDatabase extends DatabaseUrls {
  readonly name: string;
  /** Connections of a gate system. */
  readonly gates: postgres.Sql;
  /** A connection that may change the schema. It stays when nobody else gets in. */
  readonly admin: postgres.Sql;
  /** Terminates all sessions of the observer, or its replication. The observer may reconnect. */
  terminate(sessions: 'observer' | 'walsender'): Promise<void>;
  /** Whether anybody may open a new connection to it. */
  allowConnections(allowed: boolean): Promise<void>;
  /** Throws the observer out, and lets nobody in until `allowConnections(true)`. */
  shut(): Promise<void>;
  drop(): Promise<void>;
}

/** One for all databases that a worker makes in the shared cluster: a connection costs more than a database. */
let maintenance: postgres.Sql | undefined;

/** `tickets`: what is in it from the beginning. */
export async function createTestDatabase(tickets: TicketsById = {}): Promise<TestDatabase> {
  const cluster = inject('clusterUrls');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const inDatabase = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  maintenance ??= connectToMaintain(cluster.admin);
  const { username: owner, pathname } = new URL(cluster.owner);
  // Copied as files: written to the log, every walsender of the cluster would have to read it.
  await maintenance.unsafe(
    `create database ${name} template "${pathname.slice(1)}" owner "${owner}" strategy file_copy`,
  );
  const urls = {
    adminUrl: inDatabase(cluster.admin),
    ownerUrl: inDatabase(cluster.owner),
    observerUrl: inDatabase(cluster.observer),
    gatesUrl: inDatabase(cluster.gates),
    recordUrl: inDatabase(cluster.record),
  };
  const database = connectTestDatabase(name, urls, maintenance);
  await insertTickets(database.gates, tickets);
  return database;
}

/** One that is there. With `shared`, which stays open, it is removed when the connections to it are closed. */
export function connectTestDatabase(name: string, urls: DatabaseUrls, shared?: postgres.Sql): TestDatabase {
  const sql = shared ?? connectToMaintain(urls.adminUrl);
  const gates = connect(urls.gatesUrl, { max: 10 });
  const admin = connect(urls.adminUrl, { max: 1, max_lifetime: null });
  const database: TestDatabase = {
    name,
    ...urls,
    gates,
    admin,
    async terminate(sessions) {
      await admin`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and usename = 'triagem_observer'
          and (backend_type = 'walsender' or ${sessions === 'observer'})`;
    },
    async allowConnections(allowed) {
      // The administrator's own connection must be there before.
      if (!allowed) await admin`select 1`;
      await sql.unsafe(`alter database ${name} allow_connections ${allowed}`);
    },
    async shut() {
      await database.allowConnections(false);
      await database.terminate('observer');
    },
    drop: closeOnce(async () => {
      await Promise.all([gates.end({ timeout: 1 }), admin.end({ timeout: 1 })]);
      if (!shared) return sql.end();
      // A server that has just been cut off may still be letting go of its slot.
      return until(() => sql.unsafe(`drop database if exists ${name} with (force)`));
    }),
  };
  return database;
}

/** In the cluster's own database: nothing can be done to the one that a connection is in. */
function connectToMaintain(url: string): postgres.Sql {
  const address = Object.assign(new URL(url), { pathname: '/postgres' });
  return connect(address.href, { max: 1, idle_timeout: 10 });
}

/**
 * Without reading the types of arrays, which each connection would begin with; and a server that has not answered for a
 * while is asked again soon, not after up to 20 s.
 */
function connect(url: string, options: postgres.Options<Record<string, never>>): postgres.Sql {
  return postgres(url, { ...options, fetch_types: false, backoff: () => 0.05, onnotice: () => {} });
}

export interface TicketRow {
  readonly id: string;
  readonly setor: string;
  readonly entrou?: boolean;
  readonly valid?: boolean;
  readonly eventId?: string;
}

/** Tickets of people `inside` and `outside` the stadium: id → sector. */
export interface TicketsById {
  readonly inside?: Readonly<Record<string, string>>;
  readonly outside?: Readonly<Record<string, string>>;
}

export async function insertTickets(
  sql: postgres.Sql,
  tickets: TicketsById | readonly TicketRow[],
): Promise<void> {
  const rows = Array.isArray(tickets) ? (tickets as readonly TicketRow[]) : rowsOf(tickets as TicketsById);
  if (rows.length === 0) return;
  const values = rows.map(({ id, setor, entrou = false, valid = true, eventId = DEFAULT_EVENT_ID }) => ({
    event_id: eventId,
    id,
    setor,
    entrou,
    is_valid_ticket: valid,
  }));
  await sql`insert into tickets ${sql(values)}`;
}

function rowsOf({ inside = {}, outside = {} }: TicketsById): TicketRow[] {
  return [
    ...Object.entries(inside).map(([id, setor]) => ({ id, setor, entrou: true })),
    ...Object.entries(outside).map(([id, setor]) => ({ id, setor })),
  ];
}

export async function setEntered(sql: postgres.Sql, id: string, entrou: boolean): Promise<void> {
  await sql`update tickets set entrou = ${entrou} where event_id = ${DEFAULT_EVENT_ID} and id = ${id}`;
}

export function newEventId(): string {
  return randomBytes(16).toString('hex');
}
