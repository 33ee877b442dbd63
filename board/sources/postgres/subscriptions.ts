import { CONNECT_TRIGGER, copyMark, PLACING_TRIGGER } from '../../../domain/connection-marks.ts';
import { quoteLiteral } from '../../../database/with-connection.ts';
import type { CopiedTable } from './copied-tables.ts';

/** A subscription as the database that has it knows it. Any role may read all of this. */
export interface Subscription {
  /** Each that is made has another. */
  readonly id: number;
  readonly name: string;
  /** The name of its replication slot at the source; null where it has none. */
  readonly slot: string | null;
  readonly isEnabled: boolean;
  /** PostgreSQL's option: 'any', or 'none' for what the source did not get by replication of its own. */
  readonly origin: string;
  readonly tables: number;
  /** How many tables have their first copy. */
  readonly readyTables: number;
  /** The process ID of the worker that applies its changes; null while none runs. */
  readonly worker: number | null;
  /** When that worker received its last message. The text is only compared with the one before. */
  readonly lastMessageAt: string | null;
  /** How long ago that was by the database's clock. */
  readonly silentMs: number | null;
  /** PostgreSQL's `wal_receiver_timeout`: a silent source is asked for a message after half of it. Zero: never. */
  readonly receiverTimeoutMs: number;
  readonly publications: readonly string[];
  readonly comment: string | null;
  /** The tables that `gates -- connect` copies with it. */
  readonly copies: readonly CopiedTable[];
}

/** An SQL expression: a JSON array of all subscriptions of the current database. */
export const SUBSCRIPTIONS_SQL = `(
    select coalesce(json_agg(json_build_object(
      'id', s.oid::bigint, 'name', s.subname, 'slot', s.subslotname, 'isEnabled', s.subenabled,
      -- PostgreSQL 15 has no such column: there the name is that of the outer query.
      'origin', (select suborigin from pg_subscription own where own.oid = s.oid),
      'tables', (select count(*) from pg_subscription_rel r where r.srsubid = s.oid),
      'readyTables', (select count(*) from pg_subscription_rel r where r.srsubid = s.oid and r.srsubstate = 'r'),
      'worker', w.pid, 'lastMessageAt', w.at::text,
      'silentMs', extract(epoch from clock_timestamp() - w.at)::float8 * 1000,
      'receiverTimeoutMs', extract(epoch from current_setting('wal_receiver_timeout')::interval)::float8 * 1000,
      'publications', s.subpublications, 'comment', obj_description(s.oid, 'pg_subscription'),
      'copies', (
        select coalesce(json_agg(json_build_object('name', n.nspname || '.' || c.relname,
          'comment', obj_description(c.oid, 'pg_class'),
          'isFollowed', exists (
            select from pg_trigger where tgrelid = c.oid and tgname = ${quoteLiteral(CONNECT_TRIGGER)} and tgenabled = 'A')
            and not exists (select from pg_trigger where tgname = ${quoteLiteral(PLACING_TRIGGER)} and tgenabled <> 'A'),
          'columns', (select json_object_agg(attname, format_type(atttypid, -1)) from pg_attribute
            where attrelid = c.oid and attnum > 0 and not attisdropped))
          order by n.nspname collate "C", c.relname collate "C"), '[]')
        from pg_subscription_rel r join pg_class c on c.oid = r.srrelid join pg_namespace n on n.oid = c.relnamespace
        where r.srsubid = s.oid and starts_with(obj_description(c.oid, 'pg_class'), ${quoteLiteral(copyMark(''))})))
      order by s.subname), '[]')
    from pg_subscription s cross join (select 'any' as suborigin) before_16 cross join lateral (
      select max(pid) as pid, max(last_msg_receipt_time) as at from pg_stat_subscription st
      -- PostgreSQL 16 and later start helpers of the worker for large commits; 15 has no such column.
      where subid = s.oid and relid is null and to_jsonb(st) ->> 'leader_pid' is null) w
    where s.subdbid = (select oid from pg_database where datname = current_database()))`;
