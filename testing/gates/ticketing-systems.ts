import { OWN_VIEW } from './own-view-system.ts';
import { type Operation, pick, type Sql, type TicketingSystem } from './ticketing-system.ts';

const anyCategory = (): number => pick([1, 2, 3]);

const setStatus =
  (...statuses: string[]): Operation =>
  (sql, id) =>
    sql`update ticket set status = ${pick(statuses)} where id = ${id}`;
const moveInAlfIo: Operation = (sql, id) =>
  sql`update ticket set category_id = ${pick([1, 2, 3, null])} where id = ${id}`;

export const ALF_IO: TicketingSystem = {
  name: 'alf.io',
  tables: `
    create table event (id serial primary key, short_name varchar(2048) not null unique, display_name varchar(255));
    create table ticket_category (id serial primary key, event_id integer not null references event (id),
      name varchar(255) not null, max_tickets integer not null, tc_status varchar(255));
    create table ticket (id serial primary key, uuid uuid not null unique, creation timestamptz not null default now(),
      category_id integer references ticket_category (id), status varchar(255) not null,
      event_id integer not null references event (id), full_name varchar(255), email_address varchar(255),
      organization_id_fk integer not null default 1, constraint "unique_uuid" unique (uuid));
    create function alfio_check_row_access(integer) returns boolean language sql as $$
      select coalesce(current_setting('alfio.checkRowAccess', true), 'false') <> 'true' $$;
    alter table ticket enable row level security;
    alter table ticket force row level security;
    create policy ticket_access_policy on ticket to public using (alfio_check_row_access(organization_id_fk));
    insert into event (short_name, display_name) values ('final', 'A × B'), ('outro', null);
    insert into ticket_category (event_id, name, max_tickets)
      values (1, 'Norte', 500), (1, 'Sul', 300), (1, 'Camarote', 20), (2, 'Tudo', 10)`,
  options: ['alf.io', '--event', '1', '--category', '3=99'],
  sell: (sql, tickets) => sql`
    insert into ticket (id, uuid, category_id, status, event_id, full_name, email_address)
    select n, gen_random_uuid(), n % 3 + 1, (array['ACQUIRED', 'CHECKED_IN', 'FREE', 'TO_BE_PAID'])[n % 4 + 1],
      case when n <= ${tickets} then 1 else 2 end, 'Nome', 'a@b.c'
    from generate_series(1, ${tickets} + 10) n`,
  checkIn: (sql, id) => sql`update ticket set status = 'CHECKED_IN' where id = ${id}`,
  move: moveInAlfIo,
  operations: [
    setStatus('CHECKED_IN'),
    setStatus('CHECKED_IN', 'ACQUIRED', 'TO_BE_PAID', 'FREE', 'PENDING'),
    moveInAlfIo,
    (sql, id) => sql`
      update ticket set status = 'RELEASED', uuid = gen_random_uuid(), full_name = null where id = ${id}`,
    (sql, id) => sql`update ticket set full_name = 'Outro' where id = ${id}`,
    (sql, id) => sql`update ticket set event_id = ${pick([1, 1, 2])} where id = ${id}`,
    (sql, id) => sql`delete from ticket where id = ${id}`,
    (sql, id) => sql`
      insert into ticket (id, uuid, category_id, status, event_id)
      values (${id}, gen_random_uuid(), ${anyCategory()}, 'ACQUIRED', 1) on conflict do nothing`,
  ],
  recount: `
    select id::text as id, true as is_valid_ticket, status = 'CHECKED_IN' as entrou,
      case when category_id is null then '' when category_id = 3 then '99' else category_id::text end as setor
    from ticket where event_id = 1 and status not in ('FREE', 'RELEASED', 'PENDING')`,
};

const moveInHiEvents: Operation = (sql, id) =>
  sql`update attendees set product_id = ${anyCategory()} where id = ${id}`;
const checkInHiEvents: Operation = (sql, id) => sql`
  insert into attendee_check_ins (short_id, check_in_list_id, product_id, attendee_id, event_id)
  select 'cin', ${pick([1, 1, 1, 2])}, product_id, id, event_id from attendees where id = ${id}`;

export const HI_EVENTS: TicketingSystem = {
  name: 'hi.events',
  tables: `
    create table events (id bigserial primary key, title varchar(255) not null, start_date timestamp(0));
    create table products (id bigserial primary key, title varchar(255) not null, event_id bigint references events (id));
    create table check_in_lists (id bigserial primary key, short_id varchar(255) not null, name varchar(100) not null,
      event_id bigint not null references events (id) on delete cascade, deleted_at timestamp(0));
    create table product_check_in_lists (id bigserial primary key, product_id bigint not null references products (id),
      check_in_list_id bigint not null references check_in_lists (id), deleted_at timestamp(0));
    create table attendees (id bigserial primary key, short_id varchar(20), public_id varchar(20),
      first_name varchar(40), last_name varchar(40), email varchar(255), status varchar(20) not null,
      event_id bigint not null references events (id), product_id bigint not null references products (id),
      deleted_at timestamp(0), updated_at timestamp(0));
    create table attendee_check_ins (id bigserial primary key, short_id varchar(255) not null,
      check_in_list_id bigint not null references check_in_lists (id) on delete cascade,
      product_id bigint not null references products (id) on delete cascade,
      attendee_id bigint not null references attendees (id) on delete cascade,
      event_id bigint not null, ip_address inet, deleted_at timestamp(0));
    insert into events (title) values ('Final'), ('Outro');
    insert into products (title, event_id) values ('Norte', 1), ('Sul', 1), ('Camarote', 1);
    insert into check_in_lists (short_id, name, event_id) values ('a', 'Portões', 1), ('b', 'Lounge', 1);
    insert into product_check_in_lists (product_id, check_in_list_id) values (1, 1), (2, 1), (3, 1), (3, 2)`,
  options: ['hi.events', '--event', '1', '--list', '1'],
  sell: async (sql, tickets) => {
    await sql`
      insert into attendees (id, public_id, email, status, event_id, product_id)
      select n, 'A-' || n, 'a@b.c', case when n % 9 = 0 then 'CANCELLED' else 'ACTIVE' end,
        case when n <= ${tickets} then 1 else 2 end, n % 3 + 1
      from generate_series(1, ${tickets} + 10) n`;
    await sql`
      insert into attendee_check_ins (short_id, check_in_list_id, product_id, attendee_id, event_id, deleted_at)
      select 'cin', case when n % 5 = 0 then 2 else 1 end, n % 3 + 1, n, 1, case when n % 7 = 0 then now() end
      from generate_series(1, ${tickets}, 2) n`;
  },
  checkIn: (sql, id) => sql`
    insert into attendee_check_ins (short_id, check_in_list_id, product_id, attendee_id, event_id)
    select 'cin', 1, product_id, id, event_id from attendees where id = ${id}`,
  move: moveInHiEvents,
  operations: [
    checkInHiEvents,
    checkInHiEvents,
    moveInHiEvents,
    (sql, id) =>
      sql`update attendee_check_ins set deleted_at = now() where attendee_id = ${id} and deleted_at is null`,
    (sql, id) =>
      sql`update attendees set status = ${pick(['ACTIVE', 'CANCELLED', 'AWAITING_PAYMENT'])} where id = ${id}`,
    (sql, id) => sql`update attendees set deleted_at = ${pick([null, new Date()])} where id = ${id}`,
    (sql, id) => sql`update attendees set email = 'd@e.f', event_id = ${pick([1, 1, 1, 2])} where id = ${id}`,
    (sql, id) => sql`delete from attendees where id = ${id}`,
    (sql) => sql`
      update product_check_in_lists set deleted_at = ${pick([null, null, new Date()])} where product_id = 3`,
    (sql, id) => sql`
      update product_check_in_lists set check_in_list_id = ${1 + (id % 2)} where id = (
        select max(id) from product_check_in_lists where product_id = 2)`,
    (sql, id) => sql`
      insert into attendees (id, public_id, status, event_id, product_id)
      values (${id}, 'A', 'ACTIVE', 1, ${anyCategory()}) on conflict do nothing`,
  ],
  recount: `
    select a.id::text as id, a.status = 'ACTIVE' and a.deleted_at is null as is_valid_ticket,
      count(c.id) > 0 as entrou, a.product_id::text as setor
    from attendees a left join attendee_check_ins c
      on c.attendee_id = a.id and c.check_in_list_id = 1 and c.deleted_at is null
    where a.event_id = 1 and a.product_id in (
      select product_id from product_check_in_lists where check_in_list_id = 1 and deleted_at is null)
    group by a.id`,
};

const checkInPretix =
  (type: string, successful = true): Operation =>
  (sql, id) =>
    sql`
    insert into pretixbase_checkin (position_id, list_id, type, datetime, created, successful)
    select id, ${pick([1, 1, 1, 2])}, ${type}, now() - ${pick(['0s', '0s', '1 hour'])}::interval, now(), ${successful}
    from pretixbase_orderposition where id = ${id}`;
const moveInPretix: Operation = (sql, id) =>
  sql`update pretixbase_orderposition set item_id = ${pick([1, 2, 3, 4])} where id = ${id}`;
const orderOf = (sql: Sql, id: number) =>
  sql`(select order_id from pretixbase_orderposition where id = ${id})`;

export const PRETIX: TicketingSystem = {
  name: 'pretix',
  tables: `
    create table pretixbase_event (id bigint generated by default as identity primary key, slug varchar(50) not null,
      name text not null);
    create table pretixbase_item (id bigint generated by default as identity primary key,
      event_id bigint not null references pretixbase_event (id) deferrable initially deferred,
      name text not null, internal_name varchar(255), admission boolean not null);
    create table pretixbase_quota (id bigint primary key, size integer);
    create table pretixbase_quota_items (id bigint primary key, quota_id bigint, item_id bigint);
    create table pretixbase_checkinlist (id bigint generated by default as identity primary key,
      event_id bigint not null, name varchar(190) not null, all_products boolean not null,
      include_pending boolean not null, subevent_id bigint);
    create table pretixbase_checkinlist_limit_products (id bigint generated by default as identity primary key,
      checkinlist_id bigint not null references pretixbase_checkinlist (id) deferrable initially deferred,
      item_id bigint not null references pretixbase_item (id) deferrable initially deferred);
    create table pretixbase_order (id bigint generated by default as identity primary key, code varchar(16) not null,
      email varchar(254), status varchar(3) not null, valid_if_pending boolean not null,
      event_id bigint not null references pretixbase_event (id) deferrable initially deferred);
    create table pretixbase_orderposition (id bigint generated by default as identity primary key,
      positionid integer not null, attendee_name_cached varchar(255), secret varchar(255) not null,
      canceled boolean not null, blocked jsonb, subevent_id bigint,
      order_id bigint not null references pretixbase_order (id) deferrable initially deferred,
      item_id bigint not null references pretixbase_item (id) deferrable initially deferred);
    create table pretixbase_checkin (id bigint generated by default as identity primary key, successful boolean not null,
      datetime timestamptz not null, created timestamptz not null, type varchar(100) not null, raw_barcode text,
      list_id bigint not null references pretixbase_checkinlist (id) deferrable initially deferred,
      position_id bigint references pretixbase_orderposition (id) deferrable initially deferred);
    insert into pretixbase_event (slug, name) values ('final', '{"en": "Final", "pt-br": "Final"}'), ('outro', 'Outro');
    insert into pretixbase_item (event_id, name, admission)
      values (1, '{"pt-br": "Norte"}', true), (1, 'Sul', true), (1, 'Camarote', true), (1, 'Estacionamento', false);
    insert into pretixbase_quota values (1, 500), (2, null);
    insert into pretixbase_quota_items values (1, 1, 1), (2, 2, 2);
    insert into pretixbase_checkinlist (event_id, name, all_products, include_pending)
      values (1, 'Portões', true, false), (1, 'Lounge', true, false);
    insert into pretixbase_checkinlist_limit_products (checkinlist_id, item_id) values (1, 1), (1, 2), (1, 4), (2, 3)`,
  options: ['pretix', '--event', '1', '--list', '1'],
  sell: async (sql, tickets) => {
    // Two positions of an order.
    await sql`
      insert into pretixbase_order (id, code, email, status, valid_if_pending, event_id)
      select n, 'C' || n, 'a@b.c', (array['p', 'p', 'n', 'c'])[n % 4 + 1], n % 8 = 2,
        case when n <= ${tickets} / 2 then 1 else 2 end
      from generate_series(0, ${tickets} / 2 + 5) n`;
    await sql`
      insert into pretixbase_orderposition (id, positionid, attendee_name_cached, secret, canceled, blocked, order_id, item_id)
      select n, 1, 'Nome', md5(n::text), n % 11 = 0, case when n % 13 = 0 then '["admin"]'::jsonb end, n / 2, n % 4 + 1
      from generate_series(1, ${tickets} + 10) n`;
    await sql`
      insert into pretixbase_checkin (position_id, list_id, type, datetime, created, successful)
      select n, case when n % 5 = 0 then 2 else 1 end, case when n % 6 = 0 then 'exit' else 'entry' end, now(), now(), n % 7 > 0
      from generate_series(1, ${tickets}, 2) n`;
  },
  checkIn: (sql, id) => sql`
    insert into pretixbase_checkin (position_id, list_id, type, datetime, created, successful)
    values (${id}, 1, 'entry', now(), now(), true)`,
  move: moveInPretix,
  operations: [
    checkInPretix('entry'),
    checkInPretix('entry'),
    checkInPretix('exit'),
    checkInPretix('entry', false),
    moveInPretix,
    (sql, id) =>
      sql`update pretixbase_checkin set successful = false where position_id = ${id} and type = 'entry'`,
    (sql, id) => sql`
      delete from pretixbase_checkin where id = (select max(id) from pretixbase_checkin where position_id = ${id})`,
    (sql, id) => sql`
      update pretixbase_orderposition set canceled = ${pick([true, false])}, blocked = ${pick([null, null, sql.json(['x'])])}
      where id = ${id}`,
    (sql, id) => sql`
      update pretixbase_order set status = ${pick(['p', 'p', 'n', 'c', 'e'])}, valid_if_pending = ${pick([true, false])}
      where id = ${orderOf(sql, id)}`,
    (sql, id) =>
      sql`update pretixbase_order set event_id = ${pick([1, 1, 1, 2])} where id = ${orderOf(sql, id)}`,
    (sql) => sql`
      update pretixbase_checkinlist set all_products = ${pick([true, false])},
        include_pending = ${pick([true, false])}, subevent_id = ${pick([null, null, 1])}`,
    (sql) => sql`
      update pretixbase_checkinlist_limit_products set checkinlist_id = ${pick([1, 2])} where item_id > 2`,
    (sql, id) => sql`update pretixbase_orderposition set subevent_id = ${pick([1, 2])} where id = ${id}`,
    (sql) => sql`update pretixbase_item set admission = ${pick([true, true, false])} where id = 3`,
    (sql, id) => sql`
      with gone as (delete from pretixbase_checkin where position_id = ${id})
      delete from pretixbase_orderposition where id = ${id}`,
    (sql, id) => sql`
      insert into pretixbase_orderposition (id, positionid, secret, canceled, order_id, item_id)
      values (${id}, 1, 's', false, ${id}::int / 2, ${anyCategory()}) on conflict do nothing`,
  ],
  recount: `
    select p.id::text as id,
      p.canceled is false and p.blocked is null and o.status || (o.valid_if_pending or (select include_pending from pretixbase_checkinlist where id = 1))
        in ('ptrue', 'pfalse', 'ntrue') as is_valid_ticket,
      coalesce(l.types[1] = 'entry', false) as entrou, p.item_id::text as setor
    from pretixbase_orderposition p join pretixbase_order o on o.id = p.order_id
      join pretixbase_item i on i.id = p.item_id and i.admission
      left join (
        select position_id, array_agg(type order by datetime desc, id desc) as types
        from pretixbase_checkin where list_id = 1 and successful group by position_id) l on l.position_id = p.id
    where o.event_id = 1 and coalesce(
      p.subevent_id = (select subevent_id from pretixbase_checkinlist where id = 1),
      (select subevent_id from pretixbase_checkinlist where id = 1) is null)
      and (p.item_id in (select item_id from pretixbase_checkinlist_limit_products where checkinlist_id = 1)
        or (select all_products from pretixbase_checkinlist where id = 1))`,
};

export const TICKETING_SYSTEMS: readonly TicketingSystem[] = [ALF_IO, HI_EVENTS, PRETIX, OWN_VIEW];
