import type { System } from '../system.ts';

const ATTENDEES = 'attendees';
const LISTS = 'check_in_lists';
const LISTED = 'product_check_in_lists';

/**
 * In Hi.Events an entry is a row of one check-in list that was not taken back; an attendee may have several. The list has
 * products, and from 2026 on perhaps one date of a series.
 */
export const HI_EVENTS: System = {
  name: 'hi.events',
  tables: [
    {
      name: ATTENDEES,
      columns: ['id', 'event_id', 'product_id', 'event_occurrence_id', 'status', 'deleted_at'],
      formerly: { product_id: 'ticket_id' },
      standIns: { event_occurrence_id: 'null' },
      group: 'id',
      indexed: ['product_id'],
    },
    {
      name: 'attendee_check_ins',
      columns: ['id', 'attendee_id', 'check_in_list_id', 'deleted_at'],
      group: 'attendee_id',
    },
    {
      name: LISTS,
      columns: ['id', 'event_occurrence_id'],
      standIns: { event_occurrence_id: 'null' },
      group: (row, names, { event, list }) =>
        `select a.id from ${names.table(ATTENDEES)} a where a.event_id = ${event} and ${row}.id = ${list}`,
    },
    {
      name: LISTED,
      formerName: 'ticket_check_in_lists',
      columns: ['id', 'product_id', 'check_in_list_id', 'deleted_at'],
      formerly: { product_id: 'ticket_id' },
      group: (row, names, { list }) => `
        select a.id from ${names.table(ATTENDEES)} a
        where ${names.column(ATTENDEES, 'a', 'product_id')} = ${names.column(LISTED, row, 'product_id')}
          and ${row}.check_in_list_id = ${list}`,
      indexed: ['product_id'],
    },
  ],
  choosing: {
    events: (names) => `
      select e.id::text as id, to_jsonb(e) ->> 'title' as name,
        (select count(*) from ${names.table(ATTENDEES)} a
          where a.event_id = e.id and a.status = 'ACTIVE' and a.deleted_at is null) as tickets
      from ${names.table('events')} e order by e.id`,
    lists: (names, event) => `
      select l.id::text as id, to_jsonb(l) ->> 'name' as name,
        (select count(distinct c.attendee_id) from ${names.table('attendee_check_ins')} c
          where c.check_in_list_id = l.id and c.deleted_at is null) as tickets
      from ${names.table(LISTS)} l where l.event_id = ${event} and l.deleted_at is null order by l.id`,
    categories: (names, event) => {
      const product = names.column(ATTENDEES, 'a', 'product_id');
      return `
      select p.id::text as id, to_jsonb(p) ->> 'title' as name, (
          select count(*) from ${names.table(ATTENDEES)} a
          where ${product} = p.id and a.status = 'ACTIVE' and a.deleted_at is null) as tickets
      from ${names.table(productsOf(product))} p where p.event_id = ${event} order by p.id`;
    },
  },
  view: (names, { event, list }) => `
    select a.id as key, a.id as grp, a.status = 'ACTIVE' and a.deleted_at is null as is_valid_ticket,
      exists (select from ${names.table('attendee_check_ins')} c
        where c.attendee_id = a.id and c.check_in_list_id = ${list} and c.deleted_at is null) as entrou,
      ${names.column(ATTENDEES, 'a', 'product_id')} as setor
    from ${names.table(ATTENDEES)} a join ${names.table(LISTS)} l on l.id = ${list}
    where a.event_id = ${event}
      and (${names.column(LISTS, 'l', 'event_occurrence_id')} is null
        or ${names.column(ATTENDEES, 'a', 'event_occurrence_id')} = ${names.column(LISTS, 'l', 'event_occurrence_id')})
      and exists (select from ${names.table(LISTED)} listed
        where listed.check_in_list_id = ${list} and listed.deleted_at is null
          and ${names.column(LISTED, 'listed', 'product_id')} = ${names.column(ATTENDEES, 'a', 'product_id')})`,
};

/** Products were called tickets when their column was. */
function productsOf(column: string): string {
  return column.includes('ticket_id') ? 'tickets' : 'products';
}
