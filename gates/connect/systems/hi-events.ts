import type { System } from '../system.ts';

/** In Hi.Events an entry is a row of one check-in list that was not taken back; an attendee may have several. */
export const HI_EVENTS: System = {
  name: 'hi.events',
  tables: [
    {
      name: 'attendees',
      columns: ['id', 'event_id', 'product_id', 'status', 'deleted_at'],
      formerly: { product_id: 'ticket_id' },
      group: 'id',
    },
    {
      name: 'attendee_check_ins',
      columns: ['id', 'attendee_id', 'check_in_list_id', 'deleted_at'],
      group: 'attendee_id',
    },
  ],
  choosing: {
    events: (names) => `
      select e.id::text as id, to_jsonb(e) ->> 'title' as name,
        (select count(*) from ${names.table('attendees')} a
          where a.event_id = e.id and a.status = 'ACTIVE' and a.deleted_at is null) as tickets
      from ${names.table('events')} e order by e.id`,
    lists: (names, event) => `
      select l.id::text as id, to_jsonb(l) ->> 'name' as name,
        (select count(distinct c.attendee_id) from ${names.table('attendee_check_ins')} c
          where c.check_in_list_id = l.id and c.deleted_at is null) as tickets
      from ${names.table('check_in_lists')} l where l.event_id = ${event} and l.deleted_at is null order by l.id`,
    categories: (names, event) => {
      const product = names.column('attendees', 'a', 'product_id');
      return `
      select ${product}::text as id, min(to_jsonb(p) ->> 'title') as name, count(*) as tickets, null::int as capacity
      from ${names.table('attendees')} a left join ${names.table(productsOf(product))} p on p.id = ${product}
      where a.event_id = ${event} and a.status = 'ACTIVE' and a.deleted_at is null
      group by ${product} order by ${product}`;
    },
  },
  view: (names, { event, list }) => `
    select a.id as key, a.id as grp, a.status = 'ACTIVE' and a.deleted_at is null as is_valid_ticket,
      exists (select from ${names.table('attendee_check_ins')} c
        where c.attendee_id = a.id and c.check_in_list_id = ${list} and c.deleted_at is null) as entrou,
      ${names.column('attendees', 'a', 'product_id')} as setor
    from ${names.table('attendees')} a where a.event_id = ${event}`,
};

/** Products were called tickets when their column was. */
function productsOf(column: string): string {
  return column.includes('ticket_id') ? 'tickets' : 'products';
}
