import type { System } from '../system.ts';

const POSITION = 'pretixbase_orderposition';
const ORDER = 'pretixbase_order';
const ITEM = 'pretixbase_item';
const CHECKIN = 'pretixbase_checkin';
const LIST = 'pretixbase_checkinlist';
const LIMIT = 'pretixbase_checkinlist_limit_products';

/**
 * In pretix, and in eventyay, which comes from it, the last successful check-in of a position at one list decides: an exit is
 * a row, too. The list says whom it has: items, one date of a series, those who have not paid. Items that admit nobody, as
 * parking, are no tickets, whatever the list says.
 */
export const PRETIX: System = {
  name: 'pretix',
  leavesOut: 'items without admission',
  tables: [
    {
      name: POSITION,
      columns: ['id', 'order_id', 'item_id', 'subevent_id', 'canceled', 'blocked'],
      standIns: { blocked: 'null' },
      group: 'id',
      indexed: ['order_id', 'item_id'],
    },
    {
      name: ORDER,
      columns: ['id', 'event_id', 'status', 'valid_if_pending'],
      standIns: { valid_if_pending: 'false' },
      group: (row, names) =>
        `select position.id from ${names.table(POSITION)} position where position.order_id = ${row}.id`,
    },
    {
      name: ITEM,
      columns: ['id', 'admission'],
      group: (row, names) =>
        `select position.id from ${names.table(POSITION)} position where position.item_id = ${row}.id`,
    },
    {
      name: CHECKIN,
      columns: ['id', 'position_id', 'list_id', 'type', 'datetime', 'successful'],
      standIns: { successful: 'true' },
      group: 'position_id',
    },
    {
      name: LIST,
      columns: ['id', 'all_products', 'include_pending', 'subevent_id'],
      standIns: { include_pending: 'false' },
      group: (row, names, { event, list }) => `
        select position.id from ${names.table(POSITION)} position join ${names.table(ORDER)} o on o.id = position.order_id
        where o.event_id = ${event} and ${row}.id = ${list}`,
    },
    {
      name: LIMIT,
      columns: ['id', 'checkinlist_id', 'item_id'],
      group: (row, names, { list }) => `
        select position.id from ${names.table(POSITION)} position
        where position.item_id = ${row}.item_id and ${row}.checkinlist_id = ${list}`,
      indexed: ['item_id'],
    },
  ],
  choosing: {
    events: (names) => `
      select e.id::text as id, to_jsonb(e) ->> 'name' as name,
        (select count(*) from ${names.table(POSITION)} p join ${names.table(ORDER)} o on o.id = p.order_id
            join ${names.table(ITEM)} i on i.id = p.item_id
          where o.event_id = e.id and i.admission and not p.canceled and o.status = 'p') as tickets
      from ${names.table('pretixbase_event')} e order by e.id`,
    lists: (names, event) => `
      select l.id::text as id, to_jsonb(l) ->> 'name' as name,
        (select count(distinct c.position_id) from ${names.table(CHECKIN)} c
          where c.list_id = l.id and ${names.column(CHECKIN, 'c', 'successful')}) as tickets
      from ${names.table(LIST)} l where l.event_id = ${event} order by l.id`,
    categories: (names, event) => `
      select i.id::text as id, coalesce(to_jsonb(i) ->> 'internal_name', to_jsonb(i) ->> 'name') as name,
        (select count(*) from ${names.table(POSITION)} p join ${names.table(ORDER)} o on o.id = p.order_id
          where p.item_id = i.id and not p.canceled and o.status = 'p') as tickets
      from ${names.table(ITEM)} i where i.event_id = ${event} and i.admission order by i.id`,
    capacity: (names, id) => `
      select sum(q.size)::int from ${names.table('pretixbase_quota')} q
      join ${names.table('pretixbase_quota_items')} qi on qi.quota_id = q.id where qi.item_id::text = ${id}`,
  },
  view: (names, { event, list }) => `
    select p.id as key, p.id as grp,
      not p.canceled and ${names.column(POSITION, 'p', 'blocked')} is null
        and (o.status = 'p' or o.status = 'n'
          and (${names.column(ORDER, 'o', 'valid_if_pending')} or ${names.column(LIST, 'l', 'include_pending')})) as is_valid_ticket,
      (select c.type = 'entry' from ${names.table(CHECKIN)} c
        where c.position_id = p.id and c.list_id = ${list} and ${names.column(CHECKIN, 'c', 'successful')}
        order by c.datetime desc, c.id desc limit 1) as entrou,
      p.item_id as setor
    from ${names.table(POSITION)} p join ${names.table(ORDER)} o on o.id = p.order_id
      join ${names.table(ITEM)} i on i.id = p.item_id join ${names.table(LIST)} l on l.id = ${list}
    where o.event_id = ${event} and i.admission and (l.subevent_id is null or p.subevent_id = l.subevent_id)
      and (l.all_products or exists (select from ${names.table(LIMIT)} limited
        where limited.checkinlist_id = ${list} and limited.item_id = p.item_id))`,
};
