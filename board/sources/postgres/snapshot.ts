import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type postgres from 'postgres';
import type { SectorDocument } from '../../../domain/event-state.ts';
import { oneEventId } from '../../../domain/event.ts';
import { MAX_CODES, type TicketKind } from '../../../domain/tally.ts';
import { quoteLiteral } from '../../../database/with-connection.ts';
import { type Catalogue, EXECUTE_CATALOGUE } from './catalogue.ts';
import type { ClockReading } from '../database-clock.ts';
import type { ExportedSnapshot } from './replication-stream.ts';
import type { Snapshot, TicketGroup } from '../ticket-source.ts';

interface SnapshotOptions {
  /** The event whose sector documents are read; `undefined`: every event's. Tickets are always those of all events. */
  readonly eventId: string | undefined;
  /** The codes of the venue, which are always counted separately. */
  readonly knownCodes: readonly string[];
}

/**
 * Counts all that was committed when the snapshot was exported, and reads the catalogue as it was then. The database
 * groups the tickets: what arrives here does not grow with their number. `sql`: one session, and ours alone.
 */
export async function readSnapshot(
  sql: postgres.Sql,
  { name, position }: ExportedSnapshot,
  { eventId, knownCodes }: SnapshotOptions,
): Promise<{ snapshot: Omit<Snapshot, 'takenAt'>; clock: ClockReading; catalogue: Catalogue }> {
  // Not sql.begin: where the connection breaks within it, the library writes its rollback to no socket and brings the
  // process down. A session that fails in here is ended, and its transaction with it. All statements are sent at once, in
  // this order: over a slow link each round trip counts.
  const send = <Rows extends object[]>(statement: string) => sql.unsafe<Rows>(statement).execute();
  const readAtMs = performance.now();
  const beginning = send('begin isolation level repeatable read read only');
  const importing = send(`set transaction snapshot ${quoteLiteral(name)}`);
  const reading = send<[Catalogue]>(EXECUTE_CATALOGUE).then((rows) => ({
    rows,
    answeredAtMs: performance.now(),
  }));
  const grouping = send<GroupRow[]>(groupsSql(knownCodes));
  const listing = send<SectorRow[]>(sectorsSql(eventId));
  // Both tables are locked by now: what was rewritten is not going to be until the end.
  const looking = send<RewrittenRow[]>(REWRITTEN_SQL);
  const ending = send('commit');
  const [{ rows, answeredAtMs }, groups, sectors, [rewritten]] = await Promise.all([
    reading,
    grouping,
    listing,
    looking,
    beginning,
    importing,
    ending,
  ]);
  if (rewritten)
    throw new Error(
      `the table ${rewritten.name} was truncated or rewritten, as by ALTER TABLE, as the counts were to be read`,
    );
  const [catalogue] = rows;
  const clock = { databaseMs: catalogue.databaseMs, readAtMs, answeredAtMs };
  return {
    snapshot: {
      epoch: randomBytes(3).toString('hex'),
      position,
      replayedMs: catalogue.replayedMs,
      groups: groups.map(toGroup),
      sectors: byEvent(sectors),
    },
    clock,
    catalogue,
  };
}

interface RewrittenRow {
  readonly name: string;
}

/**
 * To a snapshot from before a commit that truncates or rewrites a table, this table is empty. The function knows the table's
 * file of now, the catalogue that of the snapshot.
 */
const REWRITTEN_SQL = `
  select oid::regclass::text as name from pg_class
  where oid in ('public.tickets'::regclass, 'public.sectors'::regclass) and relfilenode <> pg_relation_filenode(oid)`;

interface SectorRow extends SectorDocument {
  readonly eventId: string;
}

function sectorsSql(eventId: string | undefined): string {
  const ofEvent = eventId === undefined ? '' : `where lower(event_id) = ${quoteLiteral(eventId)}`;
  return `select event_id as "eventId", code, data from public.sectors ${ofEvent} order by code`;
}

function byEvent(rows: readonly SectorRow[]): Map<string, SectorDocument[]> {
  const sectors = new Map<string, SectorDocument[]>();
  for (const { eventId: written, code, data } of rows) {
    const of = oneEventId(written);
    const documents = sectors.get(of) ?? [];
    documents.push({ code, data });
    sectors.set(of, documents);
  }
  return sectors;
}

interface GroupRow extends TicketKind {
  readonly eventId: string;
  readonly count: string;
}

function groupsSql(knownCodes: readonly string[]): string {
  // As many codes of an event as a tally keeps apart; the others, of which there may be as many as tickets, become one
  // group. Only once all are grouped, as to look at the code of each ticket takes half as long again.
  const otherCodes = Math.max(0, MAX_CODES - knownCodes.length);
  return `
    with kinds as materialized (
        select event_id, is_valid_ticket, entrou, setor, count(*) as count from public.tickets group by 1, 2, 3, 4),
      sectors as (select jsonb_array_elements_text(${quoteLiteral(JSON.stringify(knownCodes))}) as code),
      ranked as (
        select kinds.*, code is not null as is_sector,
          dense_rank() over (partition by event_id, code is null order by setor collate "C") as place
        from kinds left join sectors on code = setor)
    select event_id as "eventId", is_valid_ticket as "isValidTicket", entrou,
      case when is_sector or place <= ${otherCodes} then setor end as setor, sum(count) as count
    from ranked group by 1, 2, 3, 4`;
}

function toGroup({ eventId, count, ...ticket }: GroupRow): TicketGroup {
  return { eventId: oneEventId(eventId), ticket, count: Number(count) };
}
