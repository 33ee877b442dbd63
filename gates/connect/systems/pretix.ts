import type { System } from '../system.ts';

const POSITION = 'pretixbase_orderposition';
const ORDER = 'pretixbase_order';
const ITEM = 'pretixbase_item';
const CHECKIN = 'pretixbase_checkin';

/**
 * In pretix, and in eventyay, which comes from it, the last successful check-in of a position at one list decides: an exit is
 * a row, too. Items that admit nobody, as parking, are no tickets.
 */
export const PRETIX: System = {
  name: 'pretix',
  tables: [
    {
      name: POSITION,
      columns: ['id', 'order_id', 'item_id', 'canceled', 'blocked'],
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
  ],
  choosing: {
    events: (names) => `
      select e.id::text as id, to_jsonb(e) ->> 'name' as name,
        (select count(*) from ${names.table(POSITION)} p join ${names.table(ORDER)} o on o.id = p.order_id
          where o.event_id = e.id and not p.canceled and o.status = 'p') as tickets
      from ${names.table('pretixbase_event')} e order by e.id`,
    lists: (names, event) => `
      select l.id::text as id, to_jsonb(l) ->> 'name' as name,
        (select count(distinct c.position_id) from ${names.table(CHECKIN)} c
          where c.list_id = l.id and ${names.column(CHECKIN, 'c', 'successful')}) as tickets
      from ${names.table('pretixbase_checkinlist')} l where l.event_id = ${event} order by l.id`,
    categories: (names, event) => `
      select i.id::text as id, coalesce(to_jsonb(i) ->> 'internal_name', to_jsonb(i) ->> 'name') as name,
        (select count(*) from ${names.table(POSITION)} p join ${names.table(ORDER)} o on o.id = p.order_id
          where p.item_id = i.id and not p.canceled and o.status = 'p') as tickets,
        (select sum(q.size)::int from ${names.table('pretixbase_quota')} q
          join ${names.table('pretixbase_quota_items')} qi on qi.quota_id = q.id where qi.item_id = i.id) as capacity
      from ${names.table(ITEM)} i where i.event_id = ${event} and i.admission order by i.id`,
  },
  view: (names, { event, list }) => `
    select p.id as key, p.id as grp,
      not p.canceled and ${names.column(POSITION, 'p', 'blocked')} is null
        and (o.status = 'p' or o.status = 'n' and ${names.column(ORDER, 'o', 'valid_if_pending')}) as is_valid_ticket,
      (select c.type = 'entry' from ${names.table(CHECKIN)} c
        where c.position_id = p.id and c.list_id = ${list} and ${names.column(CHECKIN, 'c', 'successful')}
        order by c.datetime desc, c.id desc limit 1) as entrou,
      p.item_id as setor
    from ${names.table(POSITION)} p join ${names.table(ORDER)} o on o.id = p.order_id
      join ${names.table(ITEM)} i on i.id = p.item_id
    where o.event_id = ${event} and i.admission`,
};
