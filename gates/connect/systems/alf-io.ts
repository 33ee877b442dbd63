import type { System } from '../system.ts';

const HELD = `('TO_BE_PAID', 'ACQUIRED', 'CHECKED_IN')`;

/** In alf.io an entry is a status of the ticket itself. Tickets of any other status have no holder. */
export const ALF_IO: System = {
  name: 'alf.io',
  tables: [
    {
      name: 'ticket',
      columns: ['id', 'event_id', 'category_id', 'status'],
      // It hides nothing where alfio.checkRowAccess is not set, which alf.io does in sessions of its own.
      openPolicy: 'ticket_access_policy',
      group: 'id',
    },
  ],
  choosing: {
    events: (names) => `
      select e.id::text as id, coalesce(to_jsonb(e) ->> 'display_name', to_jsonb(e) ->> 'short_name') as name,
        (select count(*) from ${names.table('ticket')} t where t.event_id = e.id and t.status in ${HELD}) as tickets
      from ${names.table('event')} e order by e.id`,
    categories: (names, event) => `
      select c.id::text as id, to_jsonb(c) ->> 'name' as name,
        (select count(*) from ${names.table('ticket')} t where t.category_id = c.id and t.status in ${HELD}) as tickets
      from ${names.table('ticket_category')} c where c.event_id = ${event} order by c.id`,
    capacity: (names, id) => `
      select (to_jsonb(c) ->> 'max_tickets')::int from ${names.table('ticket_category')} c where c.id::text = ${id}`,
  },
  view: (names, { event }) => `
    select t.id as key, t.id as grp, true as is_valid_ticket, t.status = 'CHECKED_IN' as entrou, t.category_id as setor
    from ${names.table('ticket')} t where t.event_id = ${event} and t.status in ${HELD}`,
};
